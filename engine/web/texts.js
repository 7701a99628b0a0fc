// All texts of the page, in four languages: one row a text, one column a language.

export const LANGUAGES = { en: "English", nl: "Nederlands", fr: "Français", ru: "Русский" };

const TEXTS = {
  language: ["Language", "Taal", "Langue", "Язык"],
  loading: ["Loading…", "Laden…", "Chargement…", "Загрузка…"],
  keys: ["Keys", "Toetsen", "Raccourcis", "Клавиши"],
  close: ["Close", "Sluiten", "Fermer", "Закрыть"],
  cancel: ["Cancel", "Annuleren", "Annuler", "Отмена"],
  problem: ["Problem: {what}", "Fout: {what}", "Erreur : {what}", "Ошибка: {what}"],
  "problem.connection": [
    "The engine does not answer. Is the server still running?", "De computer antwoordt niet. Draait de server nog?",
    "Le programme ne répond pas. Le serveur tourne-t-il encore ?", "Программа не отвечает. Работает ли ещё сервер?",
  ],
  "problem.busy": [
    "Others are using all searches of the server.", "Anderen gebruiken alle zoekplaatsen van de server.",
    "D’autres utilisent toutes les recherches du serveur.", "Все места для поиска на сервере заняты другими.",
  ],
  "problem.too-many-requests": [
    "The server got too many questions.", "De server kreeg te veel vragen.",
    "Le serveur a reçu trop de questions.", "Сервер получил слишком много вопросов.",
  ],
  "problem.timeout": [
    "The question took too long to reach the server.", "De vraag deed te lang over de weg naar de server.",
    "La question a mis trop de temps à atteindre le serveur.", "Вопрос слишком долго шёл до сервера.",
  ],
  "problem.internal": [
    "The engine has failed. Try again.", "De computer heeft gefaald. Probeer het opnieuw.",
    "Le programme a échoué. Réessayez.", "Сбой программы. Попробуйте ещё раз.",
  ],
  "problem.worker": [
    "The engine in this page has failed, perhaps for lack of memory. Try again.",
    "De computer in deze pagina heeft gefaald, misschien door geheugengebrek. Probeer het opnieuw.",
    "Le programme dans cette page a échoué, peut-être par manque de mémoire. Réessayez.",
    "Сбой программы на этой странице, возможно, из-за нехватки памяти. Попробуйте ещё раз.",
  ],
  "problem.bad-parameter": [
    "The engine does not take this value", "De computer aanvaardt deze waarde niet",
    "Le programme n’accepte pas cette valeur", "Программа не принимает это значение",
  ],
  "problem.bad-position": [
    "The engine cannot read this position", "De computer kan deze stand niet lezen",
    "Le programme ne peut pas lire cette position", "Программа не может прочитать эту позицию",
  ],
  "problem.bad-move": [
    "A move cannot be played", "Een zet kan niet gespeeld worden", "Un coup ne peut être joué", "Ход невозможен",
  ],
  "problem.bad-pdn": [
    "The games cannot be read", "De partijen kunnen niet worden gelezen",
    "Les parties ne peuvent être lues", "Не удаётся прочитать партии",
  ],
  "problem.forbidden-origin": [
    "The server does not answer pages of this address", "De server antwoordt niet aan pagina’s van dit adres",
    "Le serveur ne répond pas aux pages de cette adresse", "Сервер не отвечает страницам с этого адреса",
  ],
  "problem.too-large": [
    "This is more than the server takes", "Dit is meer dan de server aanneemt",
    "C’est plus que le serveur n’accepte", "Это больше, чем принимает сервер",
  ],
  "problem.too-long": [
    "The game is longer than the server takes", "De partij is langer dan de server aanneemt",
    "La partie est plus longue que le serveur n’accepte", "Партия длиннее, чем принимает сервер",
  ],
  "problem.not-known": [
    "Nothing is known about this", "Hierover is niets bekend", "On n’en sait rien", "Об этом ничего не известно",
  ],
  asksAgain: [
    "The page asks again by itself.", "De pagina vraagt het vanzelf opnieuw.",
    "La page redemande d’elle-même.", "Страница повторит вопрос сама.",
  ],
  again: ["Try again", "Opnieuw proberen", "Réessayer", "Попробовать ещё раз"],
  restored: [
    "This is what you had last time", "Dit is wat u de vorige keer had",
    "Voici ce que vous aviez la dernière fois", "Здесь то, что было в прошлый раз",
  ],
  tooLargeToKeep: [
    "This browser has no room to keep all games: only the one on the board comes back. Save them as PDN.",
    "Deze browser heeft geen ruimte om alle partijen te bewaren: alleen die op het bord komt terug. Sla ze op als PDN.",
    "Ce navigateur n’a pas la place de garder toutes les parties : seule celle du damier reviendra. Enregistrez-les en PDN.",
    "В браузере нет места для всех партий: сохранится только партия на доске. Сохраните их в PDN.",
  ],
  views: ["Views", "Onderdelen", "Rubriques", "Разделы"],

  // The board.
  board: ["Board", "Bord", "Damier", "Доска"],
  square: ["{square}, {piece}", "{square}, {piece}", "{square}, {piece}", "{square}, {piece}"],
  empty: ["empty", "leeg", "case vide", "пусто"],
  whiteMan: ["White man", "Witte schijf", "Pion blanc", "Белая шашка"],
  whiteKing: ["White king", "Witte dam", "Dame blanche", "Белая дамка"],
  blackMan: ["Black man", "Zwarte schijf", "Pion noir", "Чёрная шашка"],
  blackKing: ["Black king", "Zwarte dam", "Dame noire", "Чёрная дамка"],
  "mark.chosen": ["chosen", "gekozen", "choisi", "выбрано"],
  "mark.target": ["can go here", "mogelijke zet", "coup possible", "возможный ход"],
  "mark.win": ["wins", "wint", "gagne", "выигрывает"],
  "mark.draw": ["draws", "remise", "nulle", "ничья"],
  "mark.loss": ["loses", "verliest", "perd", "проигрывает"],
  "side.W": ["White", "Wit", "Blancs", "Белые"],
  "side.B": ["Black", "Zwart", "Noirs", "Чёрные"],
  "toMove.W": ["White to move", "Wit aan zet", "Trait aux blancs", "Ход белых"],
  "toMove.B": ["Black to move", "Zwart aan zet", "Trait aux noirs", "Ход чёрных"],
  flip: ["Turn the board", "Bord draaien", "Retourner le damier", "Повернуть доску"],
  steps: ["Go through the game", "Door de partij bladeren", "Parcourir la partie", "Просмотр партии"],
  first: ["To the start", "Naar het begin", "Au début", "В начало"],
  back: ["Back", "Terug", "Coup précédent", "Назад"],
  forward: ["Forward", "Vooruit", "Coup suivant", "Вперёд"],
  last: ["To the end", "Naar het einde", "À la fin", "В конец"],
  typeMove: ["A move, such as 32-28", "Een zet, zoals 32-28", "Un coup, par exemple 32-28", "Ход, например 32-28"],
  playMove: ["Move", "Zet", "Jouer", "Ход"],
  notLegal: ["{move} is not a legal move", "{move} is geen geldige zet", "{move} n’est pas un coup légal", "Ход {move} невозможен"],
  whichCapture: ["Which capture?", "Welke slag?", "Quelle prise ?", "Какое взятие?"],

  // Play.
  play: ["Play", "Spelen", "Jouer", "Игра"],
  yourSide: ["You play", "U speelt met", "Vous jouez", "Вы играете"],
  byLot: ["By lot", "Door loting", "Au hasard", "По жребию"],
  from: ["Start", "Begin", "Départ", "Начало"],
  initialPosition: ["Initial position", "Beginstand", "Position initiale", "Начальная позиция"],
  thisPosition: ["The position on the board", "De stand op het bord", "La position affichée", "Позиция на доске"],
  strength: ["Strength of the engine", "Sterkte van de computer", "Force du programme", "Сила программы"],
  level: ["Level", "Niveau", "Niveau", "Уровень"],
  levelHelp: [
    "Level 10 is full strength; each level below it looks at fewer positions.",
    "Niveau 10 is volle sterkte; elk lager niveau bekijkt minder stellingen.",
    "Le niveau 10 est la pleine force ; chaque niveau inférieur examine moins de positions.",
    "Уровень 10 — полная сила; на каждом более низком уровне просматривается меньше позиций.",
  ],
  secondsAMove: ["Seconds a move", "Seconden per zet", "Secondes par coup", "Секунд на ход"],
  nodesAMove: ["Nodes a move", "Knopen per zet", "Nœuds par coup", "Узлов на ход"],
  newGame: ["New game", "Nieuwe partij", "Nouvelle partie", "Новая партия"],
  takeBack: ["Take back", "Zet terugnemen", "Reprendre le coup", "Взять ход назад"],
  hint: ["Hint", "Hint", "Indice", "Подсказка"],
  endGame: ["Stop the game", "Partij afbreken", "Arrêter la partie", "Закончить партию"],
  gameEnded: ["The game was stopped", "De partij is afgebroken", "La partie est arrêtée", "Партия остановлена"],
  you: ["You", "U", "Vous", "Вы"],
  yourMove: ["Your move", "U bent aan zet", "À vous de jouer", "Ваш ход"],
  thinks: ["The engine is thinking…", "De computer denkt na…", "Le programme réfléchit…", "Программа думает…"],
  enginesTurn: ["It is the engine’s turn", "De computer is aan zet", "C’est au programme de jouer", "Сейчас ход программы"],
  engineWaits: [
    "The engine waits: go to the end of the game, or back to a move of yours",
    "De computer wacht: ga naar het einde van de partij, of terug naar een zet van u",
    "Le programme attend : allez à la fin de la partie, ou revenez à l’un de vos coups",
    "Программа ждёт: перейдите в конец партии или вернитесь к своему ходу",
  ],
  enginePlays: ["The engine plays {move}", "De computer speelt {move}", "Le programme joue {move}", "Ход программы: {move}"],
  hintIs: ["Try {move}", "Probeer {move}", "Essayez {move}", "Попробуйте {move}"],
  hintPiece: [
    "The piece on {square} has the best move", "De beste zet is met het stuk op {square}",
    "Le meilleur coup est celui de la pièce en {square}", "Лучший ход — с поля {square}",
  ],
  "result.2-0": ["White wins", "Wit wint", "Les blancs gagnent", "Белые выиграли"],
  "result.0-2": ["Black wins", "Zwart wint", "Les noirs gagnent", "Чёрные выиграли"],
  "result.1-1": ["A draw", "Remise", "Partie nulle", "Ничья"],

  // Analysis.
  analysis: ["Analysis", "Analyse", "Analyse", "Анализ"],
  startAnalysis: ["Analyse", "Analyseren", "Analyser", "Анализировать"],
  stopAnalysis: ["Stop", "Stoppen", "Arrêter", "Стоп"],
  lines: ["Lines", "Varianten", "Variantes", "Варианты"],
  arrows: ["Arrows", "Pijlen", "Flèches", "Стрелки"],
  wholeGame: ["Whole game", "Hele partij", "Toute la partie", "Вся партия"],
  searched: [
    "Depth {depth}, {nodes} nodes, {speed} thousand a second",
    "Diepte {depth}, {nodes} knopen, {speed} duizend per seconde",
    "Profondeur {depth}, {nodes} nœuds, {speed} milliers par seconde",
    "Глубина {depth}, {nodes} узлов, {speed} тыс. в секунду",
  ],
  position: ["Position {number} of {of}", "Stand {number} van {of}", "Position {number} sur {of}", "Позиция {number} из {of}"],
  gameAnalysed: ["The game is analysed", "De partij is geanalyseerd", "La partie est analysée", "Партия проанализирована"],
  gameStopped: ["The analysis was stopped", "De analyse is gestopt", "L’analyse est arrêtée", "Анализ остановлен"],
  playLine: ["Play the first move", "Eerste zet spelen", "Jouer le premier coup", "Сделать первый ход"],
  searchComplete: [
    "The search is complete", "Er valt niets meer te zoeken", "La recherche est complète", "Поиск завершён",
  ],
  searchedLong: [
    "Stopped after {minutes} minutes", "Gestopt na {minutes} minuten", "Arrêté après {minutes} minutes", "Остановлено через {minutes} минут",
  ],
  gameOver: ["The game is over here", "Hier is de partij afgelopen", "Ici la partie est finie", "Здесь партия окончена"],
  curve: ["Evaluation for White", "Beoordeling voor wit", "Évaluation pour les blancs", "Оценка за белых"],

  // Endgames.
  endgames: ["Endgames", "Eindspel", "Finales", "Эндшпиль"],
  "value.win": ["win", "winst", "gain", "выигрыш"],
  "value.draw": ["draw", "remise", "nulle", "ничья"],
  "value.loss": ["loss", "verlies", "perte", "проигрыш"],
  "value.unknown": ["unknown", "onbekend", "inconnu", "неизвестно"],
  plies: [
    "in {plies} {plies|ply|plies}", "in {plies} halve {plies|zet|zetten}",
    "en {plies} {plies|demi-coup|demi-coups}", "за {plies} {plies|полуход|полухода|полуходов}",
  ],
  conversion: [
    "{plies} {plies|ply|plies} to the next conversion", "{plies} halve {plies|zet|zetten} tot de omzetting",
    "{plies} {plies|demi-coup|demi-coups} jusqu’à la conversion", "до размена или хода шашкой: {plies}",
  ],
  noValue: [
    "Values are known for up to {pieces} pieces", "Waarden zijn bekend tot en met {pieces} stukken",
    "Les valeurs sont connues jusqu’à {pieces} pièces", "Значения известны, если на доске не больше {pieces} фигур",
  ],
  hidden: [
    "Hidden during the lesson", "Verborgen tijdens de les",
    "Caché pendant l’exercice", "Скрыто во время упражнения",
  ],
  perfectLine: ["Perfect line", "Perfecte variant", "Ligne parfaite", "Точная игра"],
  noLine: ["No line is known", "Geen variant bekend", "Aucune ligne connue", "Вариант неизвестен"],
  training: ["Training", "Oefenen", "Entraînement", "Тренировка"],
  material: ["Pieces (White – Black)", "Stukken (wit – zwart)", "Pièces (blancs – noirs)", "Фигуры (белые – чёрные)"],
  man: ["man", "schijf", "pion", "шашка"],
  mans: ["men", "schijven", "pions", "шашки"],
  king: ["king", "dam", "dame", "дамка"],
  kings: ["kings", "dammen", "dames", "дамки"],
  task: ["Task", "Opgave", "Objectif", "Задача"],
  toWin: ["win", "winnen", "gagner", "выиграть"],
  toHold: ["hold the draw", "remise houden", "tenir la nulle", "удержать ничью"],
  startLesson: ["Start", "Beginnen", "Commencer", "Начать"],
  onlySetUp: ["Only set it up", "Alleen opzetten", "Placer sans jouer", "Только расставить"],
  endLesson: ["End the lesson", "Les beëindigen", "Terminer l’exercice", "Закончить упражнение"],
  lessonEnded: ["The lesson has ended", "De les is afgelopen", "L’exercice est terminé", "Упражнение закончено"],
  "lesson.win": ["Win with {side}", "Win met {side}", "Gagnez avec les {side}", "Выиграйте: ваша сторона — {side}"],
  "lesson.draw": ["Hold the draw with {side}", "Houd remise met {side}", "Tenez la nulle avec les {side}", "Удержите ничью: ваша сторона — {side}"],
  "verdict.perfect": ["{move}: perfect.", "{move}: perfect.", "{move} : parfait.", "{move}: точно."],
  "verdict.holds": ["{move} keeps the result.", "{move} behoudt het resultaat.", "{move} conserve le résultat.", "{move} сохраняет результат."],
  "verdict.inaccuracy": [
    "{move} costs {plies} {plies|ply|plies}; better: {best}.",
    "{move} kost {plies} halve {plies|zet|zetten}; beter: {best}.",
    "{move} perd {plies} {plies|demi-coup|demi-coups} ; mieux : {best}.",
    "{move} теряет {plies} {plies|полуход|полухода|полуходов}; лучше: {best}.",
  ],
  "verdict.mistake": [
    "{move} is a mistake; right was {best}.", "{move} is een fout; goed was {best}.",
    "{move} est une faute ; il fallait {best}.", "{move} — ошибка; правильно {best}.",
  ],
  reply: ["The answer is {move}.", "Het antwoord is {move}.", "La réponse est {move}.", "Ответ: {move}."],
  mistakes: ["Mistakes: {count}", "Fouten: {count}", "Fautes : {count}", "Ошибок: {count}"],

  // Position.
  setup: ["Position", "Stand", "Position", "Позиция"],
  setupHelp: [
    "Choose a piece and click on squares. Pieces can be dragged, also off the board.",
    "Kies een stuk en klik op velden. Stukken kunnen worden versleept, ook van het bord af.",
    "Choisissez une pièce et cliquez sur les cases. Les pièces se déplacent à la souris, aussi hors du damier.",
    "Выберите фигуру и нажимайте на поля. Фигуры можно перетаскивать, в том числе за пределы доски.",
  ],
  piece: ["Piece", "Stuk", "Pièce", "Фигура"],
  erase: ["Erase", "Wissen", "Effacer", "Стереть"],
  turn: ["To move", "Aan zet", "Trait", "Очередь хода"],
  readFen: ["Read", "Lezen", "Lire", "Прочитать"],
  badFen: [
    "This is not a FEN, such as W:W31-50:B1-20", "Dit is geen FEN, zoals W:W31-50:B1-20",
    "Ce n’est pas un FEN, par exemple W:W31-50:B1-20", "Это не FEN; пример: W:W31-50:B1-20",
  ],
  manOnLastRow: [
    "A man cannot stand on the row where it becomes a king",
    "Een schijf kan niet op de damlijn staan",
    "Un pion ne peut rester sur la ligne de promotion",
    "Простая шашка не может стоять на дамочном поле",
  ],
  bothSides: [
    "Both sides need a piece", "Beide partijen hebben een stuk nodig",
    "Chaque camp doit avoir une pièce", "У обеих сторон должны быть фигуры",
  ],
  clear: ["Clear", "Leegmaken", "Vider", "Очистить"],
  done: ["Use this position", "Deze stand gebruiken", "Utiliser cette position", "Использовать позицию"],
  setUp: ["The position is set up", "De stand is opgezet", "La position est en place", "Позиция расставлена"],

  // Book.
  book: ["Book", "Openingsboek", "Ouvertures", "Дебюты"],
  noBook: [
    "There is no opening book", "Er is geen openingsboek", "Il n’y a pas de livre d’ouvertures", "Дебютной книги нет",
  ],
  notInBook: [
    "This position is not in the book", "Deze stand staat niet in het boek",
    "Cette position n’est pas dans le livre", "Этой позиции нет в книге",
  ],
  bookGames: ["Games: {games}", "Partijen: {games}", "Parties : {games}", "Партий: {games}"],
  bookDepth: ["searched to depth {depth}", "doorzocht tot diepte {depth}", "calculé à la profondeur {depth}", "просчитано на глубину {depth}"],
  move: ["Move", "Zet", "Coup", "Ход"],
  gamesCount: ["Games", "Partijen", "Parties", "Партии"],
  wins: ["Wins", "Winst", "Gains", "Победы"],
  draws: ["Draws", "Remise", "Nulles", "Ничьи"],
  losses: ["Losses", "Verlies", "Pertes", "Поражения"],
  score: ["Score", "Score", "Évaluation", "Оценка"],

  // Games.
  game: ["Game", "Partij", "Partie", "Партия"],
  gameNumber: ["Game", "Partij", "Partie", "Партия"],
  event: ["Event", "Evenement", "Événement", "Турнир"],
  date: ["Date", "Datum", "Date", "Дата"],
  resultLabel: ["Result", "Uitslag", "Résultat", "Результат"],
  openFile: ["Open a PDN file", "PDN-bestand openen", "Ouvrir un fichier PDN", "Открыть файл PDN"],
  readPdn: ["Read the text", "Tekst lezen", "Lire le texte", "Прочитать текст"],
  showPdn: ["Show as PDN", "Als PDN tonen", "Afficher en PDN", "Показать PDN"],
  savePdn: ["Save PDN", "PDN opslaan", "Enregistrer le PDN", "Сохранить PDN"],
  copyFen: ["Copy FEN", "FEN kopiëren", "Copier le FEN", "Копировать FEN"],
  saveSvg: ["Save SVG", "SVG opslaan", "Enregistrer le SVG", "Сохранить SVG"],
  copied: ["Copied: {text}", "Gekopieerd: {text}", "Copié : {text}", "Скопировано: {text}"],
  noGames: ["there is no game in it", "er staat geen partij in", "il ne contient aucune partie", "в нём нет партий"],
  gamesRead: ["Games read: {count}", "Partijen gelezen: {count}", "Parties lues : {count}", "Прочитано партий: {count}"],
  moves: ["Moves", "Zetten", "Coups", "Ходы"],
  noMoves: ["No moves yet", "Nog geen zetten", "Pas encore de coup", "Ходов пока нет"],
  variation: ["Variation", "Variant", "Variante", "Вариант"],
  comment: ["Comment", "Commentaar", "Commentaire", "Комментарий"],
  sign: ["Sign", "Teken", "Signe", "Знак"],
  promote: ["Make main line", "Hoofdvariant maken", "Promouvoir la variante", "Сделать главным"],
  undo: ["Undo", "Ongedaan maken", "Annuler la modification", "Отменить изменение"],
  delete: ["Delete from here", "Vanaf hier wissen", "Supprimer à partir d’ici", "Удалить отсюда"],

  "key.board": ["to the board: arrows and Enter", "naar het bord: pijltjes en Enter", "au damier : flèches et Entrée", "к доске: стрелки и Enter"],
  "key.move": ["type a move", "een zet typen", "taper un coup", "ввести ход"],
  "key.steps": ["back, forward", "terug, vooruit", "coup précédent, suivant", "назад, вперёд"],
  "key.ends": ["to the start, to the end", "naar het begin, naar het einde", "au début, à la fin", "в начало, в конец"],
  "key.views": ["the six views", "de zes onderdelen", "les six rubriques", "шесть разделов"],
  "key.whole": ["analyse the whole game, stop", "hele partij analyseren, stoppen", "analyser toute la partie, arrêter", "анализ всей партии, стоп"],
  "key.analyse": ["analysis on, off", "analyse aan, uit", "analyse : marche, arrêt", "анализ: вкл., выкл."],

  // Clocks, draws, moves that cannot be made.
  clock: ["Clock", "Klok", "Pendule", "Часы"],
  noClock: ["no clock", "zonder klok", "sans pendule", "без часов"],
  clockOf: ["{side}: {time}", "{side}: {time}", "{side} : {time}", "{side}: {time}"],
  pause: ["Pause", "Pauze", "Pause", "Пауза"],
  goOn: ["Go on", "Verder", "Continuer", "Продолжить"],
  isPaused: ["The game is paused", "De partij staat stil", "La partie est en pause", "Партия приостановлена"],
  goesOn: ["The game goes on", "De partij gaat verder", "La partie continue", "Партия продолжается"],
  timeIsUp: ["time is up", "de tijd is om", "temps écoulé", "время истекло"],
  resign: ["Resign", "Opgeven", "Abandonner", "Сдаться"],
  resigned: ["you resigned", "u gaf op", "vous avez abandonné", "вы сдались"],
  offerDraw: ["Offer a draw", "Remise aanbieden", "Proposer nulle", "Предложить ничью"],
  drawAgreed: ["agreed", "overeengekomen", "d’un commun accord", "по соглашению"],
  drawDeclined: ["The engine plays on", "De computer speelt door", "Le programme continue à jouer", "Программа играет дальше"],
  "level.veryEasy": ["very easy", "heel makkelijk", "très facile", "очень легко"],
  "level.easy": ["easy", "makkelijk", "facile", "легко"],
  "level.medium": ["medium", "gemiddeld", "moyen", "средне"],
  "level.hard": ["hard", "moeilijk", "difficile", "трудно"],
  "level.veryHard": ["very hard", "heel moeilijk", "très difficile", "очень трудно"],
  "level.full": ["full strength", "volle sterkte", "pleine force", "полная сила"],
  "mark.ahead": ["prepared move", "vooraf gekozen zet", "coup préparé", "подготовленный ход"],
  premoveSet: [
    "{from} goes to {to} as soon as it is your turn", "{from} gaat naar {to} zodra u aan zet bent",
    "{from} ira en {to} dès que ce sera à vous", "{from} пойдёт на {to}, как только будет ваш ход",
  ],
  premoveGone: ["The prepared move is forgotten", "De vooraf gekozen zet vervalt", "Le coup préparé est oublié", "Подготовленный ход отменён"],
  premoveFails: [
    "{from} cannot go to {to} now", "{from} kan nu niet naar {to}", "{from} ne peut plus aller en {to}", "{from} теперь не может пойти на {to}",
  ],
  notYourPiece: ["This piece is not yours", "Dit stuk is niet van u", "Cette pièce n’est pas à vous", "Это не ваша фигура"],
  notItsTurn: [
    "It is the other side’s turn", "De andere partij is aan zet", "C’est à l’autre camp de jouer", "Сейчас ход другой стороны",
  ],
  mustCapture: [
    "You must capture {count} {count|piece|pieces}, with the piece on {squares}",
    "U moet {count} {count|stuk|stukken} slaan, met het stuk op {squares}",
    "Vous devez prendre {count} {count|pièce|pièces}, avec la pièce en {squares}",
    "Нужно взять {count} {count|фигуру|фигуры|фигур}; бьёт фигура на {squares}",
  ],
  isBlocked: [
    "The piece on {square} has no move", "Het stuk op {square} heeft geen zet", "La pièce en {square} n’a aucun coup", "У фигуры на {square} нет ходов",
  ],
  manGoes: [
    "{from} to {to}: a man goes one square forward along a diagonal", "{from} naar {to}: een schijf gaat schuin één veld vooruit",
    "{from} à {to} : un pion avance d’une case en diagonale", "{from} на {to}: простая шашка ходит вперёд по диагонали на одно поле",
  ],
  kingGoes: [
    "{from} to {to}: a king goes along a diagonal that is free", "{from} naar {to}: een dam gaat over een vrije schuine lijn",
    "{from} à {to} : une dame suit une diagonale libre", "{from} на {to}: дамка ходит по свободной диагонали",
  ],

  // Settings.
  settings: ["Settings", "Instellingen", "Réglages", "Настройки"],
  setMotion: ["Moves slide", "Zetten schuiven", "Les coups glissent", "Плавные ходы"],
  setSounds: ["Sounds", "Geluid", "Sons", "Звуки"],
  setBoard: ["Board colours", "Kleuren van het bord", "Couleurs du damier", "Цвета доски"],
  boardWood: ["wood", "hout", "bois", "дерево"],
  boardDark: ["dark", "donker", "sombre", "тёмная"],
  boardGreen: ["green", "groen", "vert", "зелёная"],
  boardGrey: ["grey", "grijs", "gris", "серая"],
  setCoordinates: ["Numbers of the squares", "Nummers van de velden", "Numéros des cases", "Номера полей"],
  coordinatesInside: ["small", "klein", "petits", "мелкие"],
  coordinatesLarge: ["large", "groot", "grands", "крупные"],
  coordinatesNone: ["none", "geen", "aucun", "нет"],

  // The archive.
  recent: ["Recent games", "Recente partijen", "Parties récentes", "Недавние партии"],
  saveAll: ["Save all as PDN", "Alles als PDN opslaan", "Tout enregistrer en PDN", "Сохранить всё в PDN"],
  forget: ["Forget {title}", "{title} vergeten", "Oublier {title}", "Забыть: {title}"],
  gamesOf: [
    "{count} {count|game|games}", "{count} {count|partij|partijen}", "{count} {count|partie|parties}", "{count} {count|партия|партии|партий}",
  ],
  pliesOf: [
    "{plies} {plies|ply|plies}", "{plies} halve {plies|zet|zetten}", "{plies} {plies|demi-coup|demi-coups}",
    "{plies} {plies|полуход|полухода|полуходов}",
  ],

  // Analysis on the board.
  threat: ["Threat", "Dreiging", "Menace", "Угроза"],
  threatIs: ["The other side threatens {move}", "De andere partij dreigt {move}", "L’autre camp menace {move}", "Другая сторона грозит {move}"],
  noThreat: ["Nothing is threatened", "Er dreigt niets", "Rien ne menace", "Угроз нет"],
  redo: ["Redo", "Opnieuw doen", "Rétablir", "Повторить"],
  moveMenu: ["What to do with the move", "Wat te doen met de zet", "Que faire du coup", "Действия с ходом"],
  "key.drawings": [
    "on the board: a circle; begin and end an arrow", "op het bord: een cirkel; begin en einde van een pijl",
    "sur le damier : un cercle ; début et fin d’une flèche", "на доске: круг; начало и конец стрелки",
  ],
  "key.undo": ["undo, redo", "ongedaan maken, opnieuw doen", "annuler, rétablir", "отменить, повторить"],

  // The list of games.
  search: ["Search", "Zoeken", "Chercher", "Поиск"],
  sortBy: ["Order", "Volgorde", "Ordre", "Порядок"],
  sortFile: ["as in the file", "zoals in het bestand", "comme dans le fichier", "как в файле"],
  gamesFound: ["{count} of {of}", "{count} van {of}", "{count} sur {of}", "{count} из {of}"],

  // Addresses.
  copyLink: ["Copy link", "Link kopiëren", "Copier le lien", "Копировать ссылку"],
  badLink: [
    "The link cannot be opened", "De link kan niet worden geopend", "Le lien ne peut être ouvert", "Ссылку открыть не удалось",
  ],
  otherOrigin: [
    "the file lies on another site", "het bestand staat op een andere site",
    "le fichier se trouve sur un autre site", "файл лежит на другом сайте",
  ],
};

const CODES = Object.keys(LANGUAGES);
const KEPT = "language";

/** The names of plural forms, in the order in which the texts have them. */
const FORMS = ["one", "few", "many"];

/**
 * The text of this key in the user's language, with values for the names in braces. A noun beside a
 * number has its forms there: {plies|ply|plies}, the last one for all other numbers.
 */
export const t = (key, values = {}) => {
  const text = TEXTS[key][CODES.indexOf(t.language)];
  return text.replace(/\{(\w+)((?:\|[^|}]+)*)\}/g, (_, name, rest) => {
    if (!rest) return values[name];
    const forms = rest.slice(1).split("|");
    const place = FORMS.indexOf(new Intl.PluralRules(t.language).select(values[name]));
    return forms[place] ?? forms.at(-1);
  });
};

/** Whether there is a text of this key. */
export const has = (key) => key in TEXTS;

/** A score in men, with its sign; what rounds to nothing has none. */
export const men = (score) => {
  const text = score.toFixed(2);
  return Number(text) === 0 ? "0.00" : (score > 0 ? "+" : "") + text;
};

/** @returns {Iterable<HTMLElement>} */
const all = (selector) => document.querySelectorAll(selector);

/** Puts its text into each element that names one. */
export const translate = () => {
  document.documentElement.lang = t.language;
  for (const node of all("[data-text]")) node.textContent = t(node.dataset.text);
  for (const node of all("[data-label]")) {
    node.setAttribute("aria-label", t(node.dataset.label));
    if (node.localName === "button") node.title = t(node.dataset.label);
  }
};

export const setLanguage = (code) => {
  t.language = CODES.includes(code) ? code : "en";
  try {
    localStorage.setItem(KEPT, t.language);
  } catch {
    // A page without storage forgets the language.
  }
  translate();
};

const chosen = () => {
  try {
    const kept = localStorage.getItem(KEPT);
    if (CODES.includes(kept)) return kept;
  } catch {
    // The browser's own language will do.
  }
  const wanted = navigator.languages.map((language) => language.slice(0, 2));
  return wanted.find((code) => CODES.includes(code)) ?? "en";
};

t.language = chosen();
