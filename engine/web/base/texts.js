// All texts of the page, in six languages: a row for each text, a column for each language.

export const LANGUAGES = { en: "English", nl: "Nederlands", fr: "Français", ru: "Русский", de: "Deutsch", pl: "Polski" };

const TEXTS = {
  language: ["Language", "Taal", "Langue", "Язык", "Sprache", "Język"],
  loading: ["Loading…", "Laden…", "Chargement…", "Загрузка…", "Wird geladen…", "Wczytywanie…"],
  "help.move": [
    "Click on a piece and then on a square, drag it, or type a move such as 32-28. Capturing is compulsory, and you must take as many pieces as possible.",
    "Klik op een stuk en dan op een veld, sleep het, of typ een zet zoals 32-28. Slaan is verplicht, en wel zo veel mogelijk stukken.",
    "Cliquez sur une pièce puis sur une case, faites-la glisser, ou tapez un coup comme 32-28. La prise est obligatoire, et celle du plus grand nombre.",
    "Нажмите на шашку, затем на поле, перетащите её или введите ход, например 32-28. Бить обязательно, и как можно больше шашек.",
    "Klicken Sie auf einen Stein und dann auf ein Feld, ziehen Sie ihn, oder tippen Sie einen Zug wie 32-28. Schlagen ist Pflicht, und zwar möglichst viele Steine.",
    "Kliknij bierkę, a potem pole, przeciągnij ją albo wpisz ruch, np. 32-28. Bicie jest obowiązkowe, i to największej liczby bierek.",
  ],
  "help.views": [
    "The tabs beside the board: play against the engine, analyse, practise, set up a position, look into the opening book, open and save games.",
    "De tabbladen naast het bord: tegen de computer spelen, analyseren, oefenen, een stand opzetten, in het openingsboek kijken, partijen openen en bewaren.",
    "Les onglets à côté du damier : jouer contre le programme, analyser, s’exercer, composer une position, consulter le livre d’ouvertures, ouvrir et enregistrer des parties.",
    "Вкладки рядом с доской: игра с программой, анализ, упражнения, расстановка позиции, дебютная книга, открытие и сохранение партий.",
    "Die Reiter neben dem Brett: gegen das Programm spielen, analysieren, üben, eine Stellung aufbauen, ins Eröffnungsbuch sehen, Partien öffnen und speichern.",
    "Zakładki obok planszy: gra z programem, analiza, ćwiczenia, ustawianie pozycji, książka debiutów, otwieranie i zapisywanie partii.",
  ],
  "help.kept": [
    "Your games stay in this browser. Copy link makes an address that shows others what is on the board.",
    "Uw partijen blijven in deze browser. Link kopiëren maakt een adres dat anderen laat zien wat er op het bord staat.",
    "Vos parties restent dans ce navigateur. Copier le lien donne une adresse qui montre aux autres ce qui est sur le damier.",
    "Ваши партии остаются в этом браузере. «Копировать ссылку» создаёт адрес, по которому другие увидят то, что на доске.",
    "Ihre Partien bleiben in diesem Browser. «Link kopieren» ergibt eine Adresse, die anderen zeigt, was auf dem Brett steht.",
    "Partie pozostają w tej przeglądarce. „Kopiuj link” tworzy adres, który pokaże innym, co jest na planszy.",
  ],
  manual: [
    "Manual (English, in another tab)", "Handleiding (Engels, in een ander tabblad)", "Manuel (en anglais, dans un autre onglet)",
    "Руководство (на английском, в другой вкладке)", "Handbuch (englisch, in einem anderen Tab)", "Podręcznik (po angielsku, w innej karcie)",
  ],
  keys: ["Keys", "Toetsen", "Raccourcis", "Клавиши", "Tasten", "Klawisze"],
  close: ["Close", "Sluiten", "Fermer", "Закрыть", "Schließen", "Zamknij"],
  cancel: ["Cancel", "Annuleren", "Annuler", "Отмена", "Abbrechen", "Anuluj"],
  problem: ["Problem: {what}", "Fout: {what}", "Erreur : {what}", "Ошибка: {what}", "Fehler: {what}", "Błąd: {what}"],
  "problem.connection": [
    "The engine does not answer. Is the server still running?", "De computer antwoordt niet. Draait de server nog?",
    "Le programme ne répond pas. Le serveur tourne-t-il encore ?", "Программа не отвечает. Работает ли ещё сервер?",
    "Das Programm antwortet nicht. Läuft der Server noch?",
    "Program nie odpowiada. Czy serwer jeszcze działa?",
  ],
  "problem.busy": [
    "All searches of the server are in use.", "Alle plaatsen op de server zijn bezet.",
    "Toutes les places du serveur sont occupées.", "Все места на сервере заняты.",
    "Andere nutzen gerade alle Suchen des Servers.",
    "Wszystkie wyszukiwania serwera są zajęte przez innych.",
  ],
  "problem.too-many-requests": [
    "The server received too many requests.", "De server kreeg te veel verzoeken.",
    "Le serveur a reçu trop de requêtes.", "Сервер получил слишком много запросов.",
    "Der Server hat zu viele Anfragen bekommen.", "Serwer otrzymał zbyt wiele pytań.",
  ],
  "problem.timeout": [
    "The request took too long to reach the server.", "Het verzoek was te lang onderweg naar de server.",
    "La requête a mis trop de temps à parvenir au serveur.", "Запрос слишком долго шёл до сервера.",
    "Die Anfrage hat zu lange bis zum Server gebraucht.", "Pytanie zbyt długo szło do serwera.",
  ],
  "problem.internal": [
    "The engine has failed. Try again.", "Er ging iets mis in het programma. Probeer het opnieuw.",
    "Une erreur s’est produite dans le programme. Réessayez.", "Сбой программы. Попробуйте ещё раз.",
    "Im Programm ist ein Fehler aufgetreten. Bitte noch einmal versuchen.", "W programie wystąpił błąd. Spróbuj ponownie.",
  ],
  "problem.worker": [
    "The engine in this page has failed, perhaps for lack of memory. Try again.",
    "Het programma in deze pagina is gestopt, misschien door gebrek aan geheugen. Probeer het opnieuw.",
    "Le programme de cette page s’est arrêté, peut-être faute de mémoire. Réessayez.",
    "Сбой программы на этой странице, возможно, из-за нехватки памяти. Попробуйте ещё раз.",
    "Das Programm dieser Seite ist stehen geblieben, vielleicht aus Speichermangel. Bitte noch einmal versuchen.",
    "Program na tej stronie przestał działać, być może z braku pamięci. Spróbuj ponownie.",
  ],
  "problem.bad-parameter": [
    "The engine does not accept this value", "Deze waarde is niet toegestaan",
    "Le programme n’accepte pas cette valeur", "Программа не принимает это значение",
    "Das Programm nimmt diesen Wert nicht an", "Program nie przyjmuje tej wartości",
  ],
  "problem.bad-position": [
    "The engine cannot read this position", "De computer kan deze stand niet lezen",
    "Le programme ne peut pas lire cette position", "Программа не может прочитать эту позицию",
    "Das Programm kann diese Stellung nicht lesen", "Program nie może odczytać tej pozycji",
  ],
  "problem.bad-move": [
    "A move cannot be played", "Een zet kan niet gespeeld worden", "Un coup ne peut être joué", "Ход невозможен",
    "Ein Zug kann nicht gespielt werden", "Nie można wykonać ruchu",
  ],
  "problem.bad-pdn": [
    "The games cannot be read", "De partijen kunnen niet worden gelezen",
    "Les parties ne peuvent être lues", "Не удаётся прочитать партии",
    "Die Partien können nicht gelesen werden", "Nie można odczytać partii",
  ],
  "problem.forbidden-origin": [
    "The server does not answer pages of this address", "De server staat pagina’s van dit adres niet toe",
    "Le serveur ne répond pas aux pages de cette adresse", "Сервер не отвечает страницам с этого адреса",
    "Der Server antwortet Seiten dieser Adresse nicht", "Serwer nie odpowiada stronom z tego adresu",
  ],
  "problem.too-large": [
    "This is more than the server accepts", "Dit is meer dan de server aanneemt",
    "C’est plus que le serveur n’accepte", "Это больше, чем принимает сервер",
    "Das ist mehr, als der Server annimmt", "To więcej, niż serwer przyjmuje",
  ],
  "problem.too-long": [
    "The game is longer than the server accepts", "De partij is langer dan de server aanneemt",
    "La partie est plus longue que le serveur n’accepte", "Партия длиннее, чем принимает сервер",
    "Die Partie ist länger, als der Server annimmt", "Partia jest dłuższa, niż serwer przyjmuje",
  ],
  "problem.not-known": [
    "Nothing is known about this", "Hierover is niets bekend", "Rien n’est connu à ce sujet", "Об этом ничего не известно",
    "Darüber ist nichts bekannt", "Nic o tym nie wiadomo",
  ],
  asksAgain: [
    "The page will ask again automatically.", "De pagina vraagt het vanzelf opnieuw.",
    "La page réessaie d’elle-même.", "Страница сама повторит запрос.",
    "Die Seite fragt von selbst noch einmal.", "Strona sama zapyta ponownie.",
  ],
  again: ["Try again", "Opnieuw proberen", "Réessayer", "Попробовать ещё раз", "Noch einmal versuchen", "Spróbuj ponownie"],
  restored: [
    "Restored from your last visit", "Dit is wat u de vorige keer had",
    "Voici ce que vous aviez la dernière fois", "Здесь то, что было в прошлый раз",
    "Das hatten Sie beim letzten Mal", "Oto, co było tu ostatnim razem",
  ],
  tooLargeToKeep: [
    "This browser cannot keep all games, only the one on the board. Save them as PDN.",
    "Deze browser heeft geen ruimte om alle partijen te bewaren: alleen die op het bord komt terug. Sla ze op als PDN.",
    "Ce navigateur n’a pas la place de garder toutes les parties : seule celle du damier reviendra. Enregistrez-les en PDN.",
    "В браузере нет места для всех партий: сохранится только партия на доске. Сохраните их в PDN.",
    "Dieser Browser hat nicht genug Platz für alle Partien: nur die auf dem Brett kommt wieder. Speichern Sie sie als PDN.",
    "W tej przeglądarce brak miejsca na wszystkie partie: wróci tylko ta z planszy. Zapisz je jako PDN.",
  ],
  views: ["Views", "Onderdelen", "Rubriques", "Разделы", "Bereiche", "Działy"],

  // The board.
  board: ["Board", "Bord", "Damier", "Доска", "Brett", "Plansza"],
  square: [
    "{square}, {piece}", "{square}, {piece}", "{square}, {piece}", "{square}, {piece}",
    "{square}, {piece}", "{square}, {piece}",
  ],
  empty: ["empty", "leeg", "case vide", "пусто", "leer", "puste"],
  whiteMan: ["White man", "Witte schijf", "Pion blanc", "Белая шашка", "Weißer Stein", "Biały pionek"],
  whiteKing: ["White king", "Witte dam", "Dame blanche", "Белая дамка", "Weiße Dame", "Biała damka"],
  blackMan: ["Black man", "Zwarte schijf", "Pion noir", "Чёрная шашка", "Schwarzer Stein", "Czarny pionek"],
  blackKing: ["Black king", "Zwarte dam", "Dame noire", "Чёрная дамка", "Schwarze Dame", "Czarna damka"],
  "mark.chosen": ["chosen", "gekozen", "choisi", "выбрано", "gewählt", "wybrane"],
  "mark.target": ["can go here", "mogelijke zet", "coup possible", "возможный ход", "möglicher Zug", "możliwy ruch"],
  "mark.win": ["wins", "wint", "gagne", "выигрывает", "gewinnt", "wygrywa"],
  "mark.draw": ["draws", "remise", "nulle", "ничья", "remis", "remis"],
  "mark.loss": ["loses", "verliest", "perd", "проигрывает", "verliert", "przegrywa"],
  "side.W": ["White", "Wit", "Blancs", "Белые", "Weiß", "Białe"],
  "side.B": ["Black", "Zwart", "Noirs", "Чёрные", "Schwarz", "Czarne"],
  "toMove.W": ["White to move", "Wit aan zet", "Trait aux blancs", "Ход белых", "Weiß am Zug", "Ruch białych"],
  "toMove.B": ["Black to move", "Zwart aan zet", "Trait aux noirs", "Ход чёрных", "Schwarz am Zug", "Ruch czarnych"],
  flip: ["Turn the board", "Bord draaien", "Retourner le damier", "Повернуть доску", "Brett drehen", "Obróć planszę"],
  steps: [
    "Go through the game", "Door de partij bladeren", "Parcourir la partie", "Просмотр партии",
    "Durch die Partie blättern", "Przeglądanie partii",
  ],
  first: ["To the start", "Naar het begin", "Au début", "В начало", "Zum Anfang", "Na początek"],
  back: ["Back", "Terug", "Coup précédent", "Назад", "Zurück", "Wstecz"],
  forward: ["Forward", "Vooruit", "Coup suivant", "Вперёд", "Vor", "Naprzód"],
  last: ["To the end", "Naar het einde", "À la fin", "В конец", "Zum Ende", "Na koniec"],
  playMove: ["Move", "Zet", "Jouer", "Ход", "Ziehen", "Zagraj"],
  notLegal: [
    "{move} is not a legal move", "{move} is geen geldige zet", "{move} n’est pas un coup légal", "Ход {move} невозможен",
    "{move} ist kein erlaubter Zug", "{move} nie jest dozwolonym ruchem",
  ],
  whichCapture: ["Which capture?", "Welke slag?", "Quelle prise ?", "Какое взятие?", "Welcher Schlag?", "Które bicie?"],

  // Learning.
  learn: ["Learn", "Leren", "Apprendre", "Обучение", "Lernen", "Nauka"],
  puzzles: ["Combinations", "Combinaties", "Combinaisons", "Комбинации", "Kombinationen", "Kombinacje"],
  exercises: ["Puzzles", "Opgaven", "Problèmes", "Задачи", "Aufgaben", "Zadania"],
  exercisesSolve: [
    "Solve as puzzles: {count}", "Oplossen als opgaven: {count}", "Résoudre comme problèmes : {count}",
    "Решать как задачи: {count}", "Als Aufgaben lösen: {count}", "Rozwiązuj jako zadania: {count}",
  ],
  noExercises: [
    "The open games have no puzzle and no marked mistake. Analyse a game and put the report in, or open a file with puzzles.",
    "De geopende partijen bevatten geen opgave en geen gemarkeerde fout. Analyseer een partij en zet het verslag erin, of open een bestand met opgaven.",
    "Les parties ouvertes n’ont ni problème ni faute marquée. Analysez une partie et insérez le rapport, ou ouvrez un fichier de problèmes.",
    "В открытых партиях нет ни задач, ни отмеченных ошибок. Проанализируйте партию и внесите отчёт или откройте файл с задачами.",
    "Die geöffneten Partien haben keine Aufgabe und keinen markierten Fehler. Analysieren Sie eine Partie und tragen Sie den Bericht ein, oder öffnen Sie eine Datei mit Aufgaben.",
    "W otwartych partiach nie ma zadania ani zaznaczonego błędu. Przeanalizuj partię i wstaw raport albo otwórz plik z zadaniami.",
  ],
  puzzleDraw: [
    "{side} to move and draw", "{side} aan zet maakt remise", "{side} : jouer et annuler", "{side}: ход и ничья",
    "{side} zieht und hält remis", "{side}: ruch i remis",
  ],
  exerciseGoesOn: [
    "{move} is right. Continue.", "{move} is goed. Het gaat verder.", "{move} : c’est juste. Continuez.",
    "{move} — верно. Дальше.", "{move} ist richtig. Weiter.", "{move} – dobrze. Dalej.",
  ],
  exerciseWrong: [
    "{move} is not the solution. Try again.", "{move} is niet de oplossing. Probeer het opnieuw.",
    "{move} n’est pas la solution. Essayez encore.", "{move} — не решение. Попробуйте ещё раз.",
    "{move} ist nicht die Lösung. Noch ein Versuch.", "{move} to nie rozwiązanie. Spróbuj ponownie.",
  ],
  puzzleNext: ["Next puzzle", "Volgende opgave", "Problème suivant", "Следующая задача", "Nächste Aufgabe", "Następne zadanie"],
  puzzleShow: ["Solution", "Oplossing", "Solution", "Решение", "Lösung", "Rozwiązanie"],
  puzzleTask: [
    "{side} to move and win", "{side} speelt en wint", "{side} jouent et gagnent", "{side} начинают и выигрывают", "{side} zieht und gewinnt",
    "{side} zaczynają i wygrywają",
  ],
  puzzleRight: [
    "{move} is right", "{move} is goed", "{move} : c’est juste", "{move} — верно", "{move} ist richtig", "{move} – dobrze",
  ],
  puzzleAfterAll: [
    "{move} is right. It will be repeated later.", "{move} is goed. Deze komt later terug.", "{move} : c’est juste. Elle reviendra plus tard.",
    "{move} — верно. Комбинация ещё повторится.", "{move} ist richtig. Sie kommt später wieder.", "{move} – dobrze. Wróci później.",
  ],
  puzzleWrong: [
    "{move} does not win. Try again.", "{move} wint niet. Probeer het opnieuw.", "{move} ne gagne pas. Essayez encore.",
    "{move} не выигрывает. Попробуйте ещё раз.", "{move} gewinnt nicht. Noch ein Versuch.", "{move} nie wygrywa. Spróbuj ponownie.",
  ],
  puzzleSource: [
    "Combination {id}, from a game of the engine against itself", "Combinatie {id}, uit een partij van de computer tegen zichzelf",
    "Combinaison {id}, d’une partie du programme contre lui-même", "Комбинация {id}, из партии программы с собой",
    "Kombination {id}, aus einer Partie des Programms gegen sich selbst", "Kombinacja {id}, z partii programu z samym sobą",
  ],
  lessons: ["Endgame lessons", "Eindspellessen", "Leçons de finales", "Уроки эндшпиля", "Endspiellektionen", "Lekcje końcówek"],
  lessonScore: [
    "without a mistake: {right}, with: {wrong}", "zonder fout: {right}, met: {wrong}", "sans faute : {right}, avec : {wrong}",
    "без ошибок: {right}, с ошибками: {wrong}", "ohne Fehler: {right}, mit: {wrong}", "bez błędu: {right}, z błędem: {wrong}",
  ],
  lessonAgain: ["to repeat", "herhalen", "à revoir", "повторить", "zu wiederholen", "do powtórzenia"],
  "lessonName.1": [
    "Catch a man with a king", "Vang een schijf met een dam", "Prendre un pion avec une dame", "Поймать шашку дамкой",
    "Mit einer Dame einen Stein fangen", "Złap pionka damką",
  ],
  "lessonName.2": [
    "Catch a man with a king, further away", "Vang een schijf met een dam, van verder weg", "Prendre un pion avec une dame, de plus loin",
    "Поймать шашку дамкой издалека", "Mit einer Dame einen Stein fangen, von weiter weg", "Złap pionka damką z większej odległości",
  ],
  "lessonName.3": [
    "One man against one: the opposition", "Eén schijf tegen één: de oppositie", "Un pion contre un : l’opposition",
    "Шашка против шашки: оппозиция", "Ein Stein gegen einen: die Opposition", "Pionek przeciw pionkowi: opozycja",
  ],
  "lessonName.4": [
    "Two men against one", "Twee schijven tegen één", "Deux pions contre un", "Две шашки против одной", "Zwei Steine gegen einen",
    "Dwa pionki przeciw jednemu",
  ],
  "lessonName.5": [
    "A king and a man against a man", "Een dam en een schijf tegen een schijf", "Une dame et un pion contre un pion",
    "Дамка и шашка против шашки", "Eine Dame und ein Stein gegen einen Stein", "Damka i pionek przeciw pionkowi",
  ],
  "lessonName.6": [
    "Hold a man against two", "Houd remise met een schijf tegen twee", "Tenir la nulle avec un pion contre deux",
    "Удержать ничью: шашка против двух", "Mit einem Stein gegen zwei remis halten", "Utrzymaj remis pionkiem przeciw dwóm",
  ],
  "lessonName.7": [
    "Two kings against two men", "Twee dammen tegen twee schijven", "Deux dames contre deux pions", "Две дамки против двух шашек",
    "Zwei Damen gegen zwei Steine", "Dwie damki przeciw dwóm pionkom",
  ],
  "lessonName.8": [
    "Three kings catch one", "Drie dammen vangen er één", "Trois dames en prennent une", "Три дамки ловят одну", "Drei Damen fangen eine",
    "Trzy damki łapią jedną",
  ],
  "lessonName.9": [
    "Hold a king against two kings and a man", "Houd remise met een dam tegen twee dammen en een schijf",
    "Tenir la nulle avec une dame contre deux dames et un pion", "Удержать ничью: дамка против двух дамок и шашки",
    "Mit einer Dame gegen zwei Damen und einen Stein remis halten", "Utrzymaj remis damką przeciw dwóm damkom i pionkowi",
  ],
  "lessonName.10": [
    "A king and two men against a king", "Een dam en twee schijven tegen een dam", "Une dame et deux pions contre une dame",
    "Дамка и две шашки против дамки", "Eine Dame und zwei Steine gegen eine Dame", "Damka i dwa pionki przeciw damce",
  ],
  "lessonName.11": [
    "Two men each: hold the draw", "Twee schijven tegen twee: houd remise", "Deux pions chacun : tenir la nulle",
    "По две шашки: удержать ничью", "Je zwei Steine: das Remis halten", "Po dwa pionki: utrzymaj remis",
  ],
  "lessonName.12": [
    "Two men each: the long win", "Twee schijven tegen twee: de lange winst", "Deux pions chacun : le long gain",
    "По две шашки: долгий выигрыш", "Je zwei Steine: der lange Gewinn", "Po dwa pionki: długa wygrana",
  ],

  // Play.
  play: ["Play", "Spelen", "Jouer", "Игра", "Spielen", "Gra"],
  yourSide: ["You play", "U speelt met", "Vous jouez", "Вы играете", "Sie spielen mit", "Grasz"],
  initialPosition: [
    "Initial position", "Beginstand", "Position initiale", "Начальная позиция",
    "Grundstellung", "Pozycja początkowa",
  ],
  level: ["Level", "Niveau", "Niveau", "Уровень", "Stufe", "Poziom"],
  levelHelp: [
    "Level 10 is full strength; each level below it looks at fewer positions.",
    "Niveau 10 is volle sterkte; elk lager niveau bekijkt minder stellingen.",
    "Le niveau 10 est la pleine force ; chaque niveau inférieur examine moins de positions.",
    "Уровень 10 — полная сила; на каждом более низком уровне просматривается меньше позиций.",
    "Stufe 10 ist die volle Stärke; jede niedrigere Stufe sieht weniger Stellungen an.",
    "Poziom 10 to pełna siła; każdy niższy poziom bada mniej pozycji.",
  ],
  secondsAMove: ["Seconds a move", "Seconden per zet", "Secondes par coup", "Секунд на ход", "Sekunden je Zug", "Sekund na ruch"],
  nodesAMove: ["Nodes a move", "Knopen per zet", "Nœuds par coup", "Узлов на ход", "Knoten je Zug", "Węzłów na ruch"],
  newGame: ["New game", "Nieuwe partij", "Nouvelle partie", "Новая партия", "Neue Partie", "Nowa partia"],
  takeBack: ["Take back", "Zet terugnemen", "Reprendre le coup", "Взять ход назад", "Zug zurücknehmen", "Cofnij ruch"],
  hint: ["Hint", "Hint", "Indice", "Подсказка", "Tipp", "Podpowiedź"],
  endGame: ["Stop the game", "Partij afbreken", "Arrêter la partie", "Закончить партию", "Partie abbrechen", "Przerwij partię"],
  gameEnded: [
    "The game was stopped", "De partij is afgebroken", "La partie est arrêtée", "Партия остановлена",
    "Die Partie wurde abgebrochen", "Partia została przerwana",
  ],
  you: ["You", "U", "Vous", "Вы", "Sie", "Ty"],
  yourMove: ["Your move", "U bent aan zet", "À vous de jouer", "Ваш ход", "Sie sind am Zug", "Twój ruch"],
  thinks: [
    "The engine is thinking…", "De computer denkt na…", "Le programme réfléchit…", "Программа думает…",
    "Das Programm denkt nach…", "Program myśli…",
  ],
  enginesTurn: [
    "It is the engine’s turn", "De computer is aan zet", "C’est au programme de jouer", "Сейчас ход программы",
    "Das Programm ist am Zug", "Teraz ruch programu",
  ],
  engineWaits: [
    "The engine waits: go to the end of the game, or back to a move of yours",
    "De computer wacht: ga naar het einde van de partij, of terug naar een zet van u",
    "Le programme attend : allez à la fin de la partie, ou revenez à l’un de vos coups",
    "Программа ждёт: перейдите в конец партии или вернитесь к своему ходу",
    "Das Programm wartet: gehen Sie ans Ende der Partie oder zurück zu einem eigenen Zug",
    "Program czeka: przejdź na koniec partii albo wróć do swojego ruchu",
  ],
  enginePlays: [
    "The engine plays {move}", "De computer speelt {move}", "Le programme joue {move}", "Ход программы: {move}",
    "Das Programm spielt {move}", "Program gra {move}",
  ],
  hintIs: ["Try {move}", "Probeer {move}", "Essayez {move}", "Попробуйте {move}", "Versuchen Sie {move}", "Spróbuj {move}"],
  hintPiece: [
    "The piece on {square} has the best move", "De beste zet is met het stuk op {square}",
    "Le meilleur coup est celui de la pièce en {square}", "Лучший ход — с поля {square}",
    "Der beste Zug ist mit der Figur auf {square}", "Najlepszy ruch ma figura na {square}",
  ],
  "result.2-0": ["White wins", "Wit wint", "Les blancs gagnent", "Белые выиграли", "Weiß gewinnt", "Białe wygrywają"],
  "result.0-2": ["Black wins", "Zwart wint", "Les noirs gagnent", "Чёрные выиграли", "Schwarz gewinnt", "Czarne wygrywają"],
  "result.1-1": ["A draw", "Remise", "Partie nulle", "Ничья", "Remis", "Remis"],

  // Analysis.
  analysis: ["Analysis", "Analyse", "Analyse", "Анализ", "Analyse", "Analiza"],
  startAnalysis: ["Analyse", "Analyseren", "Analyser", "Анализировать", "Analysieren", "Analizuj"],
  stopAnalysis: ["Stop", "Stoppen", "Arrêter", "Стоп", "Anhalten", "Zatrzymaj"],
  lines: ["Lines", "Varianten", "Variantes", "Варианты", "Varianten", "Warianty"],
  arrows: ["Arrows", "Pijlen", "Flèches", "Стрелки", "Pfeile", "Strzałki"],
  position: [
    "Position {number} of {of}", "Stand {number} van {of}", "Position {number} sur {of}", "Позиция {number} из {of}",
    "Stellung {number} von {of}", "Pozycja {number} z {of}",
  ],
  gameAnalysed: [
    "The game is analysed", "De partij is geanalyseerd", "La partie est analysée", "Партия проанализирована",
    "Die Partie ist analysiert", "Partia jest przeanalizowana",
  ],
  gameStopped: [
    "The analysis was stopped", "De analyse is gestopt", "L’analyse est arrêtée", "Анализ остановлен",
    "Die Analyse wurde angehalten", "Analiza została zatrzymana",
  ],
  thoroughness: ["How thorough", "Hoe grondig", "Profondeur de l’analyse", "Тщательность", "Wie gründlich", "Dokładność analizy"],
  quick: ["quick", "snel", "rapide", "быстро", "schnell", "szybko"],
  thorough: ["thorough", "grondig", "approfondi", "тщательно", "gründlich", "dokładnie"],
  deep: ["very thorough", "zeer grondig", "très approfondi", "очень тщательно", "sehr gründlich", "bardzo dokładnie"],
  report: ["Report", "Verslag", "Rapport", "Отчёт", "Bericht", "Raport"],
  player: ["Player", "Speler", "Joueur", "Игрок", "Spieler", "Gracz"],
  inaccuracies: ["Inaccuracies", "Onnauwkeurigheden", "Imprécisions", "Неточности", "Ungenauigkeiten", "Niedokładności"],
  gradeMistakes: ["Mistakes", "Fouten", "Erreurs", "Ошибки", "Fehler", "Błędy"],
  blunders: ["Blunders", "Blunders", "Gaffes", "Грубые ошибки", "Patzer", "Grube błędy"],
  noMistakes: [
    "No move gave anything away.", "Geen zet gaf iets weg.", "Aucun coup n’a fait perdre de points.", "Ни одним ходом очки не упущены.",
    "Kein Zug hat etwas verschenkt.", "Żaden ruch niczego nie oddał.",
  ],
  "was.allowed_combination": [
    "{move} loses {men} {men|man|men} after {line}", "{move} verliest {men} {men|schijf|schijven} na {line}",
    "{move} perd {men} {men|pion|pions} après {line}", "{move} теряет {men} {men|шашку|шашки|шашек} после {line}",
    "{move} verliert {men} {men|Stein|Steine} nach {line}", "{move} traci {men} {men|pionek|pionki|pionków} po {line}",
  ],
  "was.missed_combination": [
    "{move} misses {men} {men|man|men}: {line}", "{move} mist {men} {men|schijf|schijven}: {line}",
    "{move} manque {men} {men|pion|pions} : {line}", "{move} упускает {men} {men|шашку|шашки|шашек}: {line}",
    "{move} verpasst {men} {men|Stein|Steine}: {line}", "{move} przepuszcza {men} {men|pionek|pionki|pionków}: {line}",
  ],
  "was.won_endgame_not_won": [
    "{move} gives the win away", "{move} geeft de winst weg", "{move} laisse échapper le gain", "{move} упускает выигрыш",
    "{move} vergibt den Gewinn", "{move} wypuszcza wygraną",
  ],
  "was.drawn_endgame_lost": [
    "{move} loses a drawn endgame", "{move} verliest een remise-eindspel", "{move} perd une finale nulle", "{move} проигрывает ничейный эндшпиль",
    "{move} verliert ein remises Endspiel", "{move} przegrywa remisową końcówkę",
  ],
  "was.positional": [
    "{move} worsens the position", "{move} verslechtert de stand", "{move} détériore la position", "{move} ухудшает позицию",
    "{move} verschlechtert die Stellung", "{move} pogarsza pozycję",
  ],
  gaveAway: [
    "from {before} % to {after} % of the points", "van {before} % naar {after} % van de punten",
    "de {before} % à {after} % des points", "с {before} % до {after} % очков",
    "von {before} % auf {after} % der Punkte", "z {before} % do {after} % punktów",
  ],
  turningPoint: ["turning point", "keerpunt", "tournant", "перелом", "Wendepunkt", "punkt zwrotny"],
  findBetter: ["Better move?", "Betere zet?", "Meilleur coup ?", "Лучший ход?", "Besserer Zug?", "Lepszy ruch?"],
  findAll: [
    "Find the better moves", "Vind de betere zetten", "Trouver les meilleurs coups", "Найти лучшие ходы",
    "Die besseren Züge finden", "Znajdź lepsze ruchy",
  ],
  putIn: [
    "Add signs and comments to the game", "Tekens en commentaar in de partij zetten",
    "Mettre signes et commentaires dans la partie", "Внести знаки и комментарии в партию",
    "Zeichen und Kommentare in die Partie setzen", "Wstaw znaki i komentarze do partii",
  ],
  isPutIn: [
    "Signs and comments were added to the game. Undo removes them.", "Tekens en commentaar staan in de partij. Ongedaan maken haalt ze weg.",
    "Signes et commentaires sont dans la partie. Annuler les enlève.", "Знаки и комментарии внесены в партию. «Отменить» уберёт их.",
    "Zeichen und Kommentare stehen in der Partie. Rückgängig nimmt sie heraus.", "Znaki i komentarze są w partii. „Cofnij” je usuwa.",
  ],
  seekBetter: [
    "{side} played {move}. Find a better move.", "{side} speelde {move}. Vind een betere zet.",
    "{side} : {move} a été joué. Trouvez mieux.", "{side}: сыграно {move}. Найдите ход лучше.",
    "{side} zog {move}. Finden Sie einen besseren Zug.", "{side}: zagrano {move}. Znajdź lepszy ruch.",
  ],
  betterFound: [
    "Right: {move} is better.", "Goed: {move} is beter.", "Exact : {move} est meilleur.", "Верно: {move} лучше.",
    "Richtig: {move} ist besser.", "Dobrze: {move} jest lepsze.",
  ],
  alsoGood: [
    "{move} is good, too.", "{move} is ook goed.", "{move} est bon aussi.", "{move} — тоже хороший ход.",
    "{move} ist auch gut.", "{move} też jest dobre.",
  ],
  wasPlayed: [
    "{move} was played in the game. Try another move.", "{move} werd in de partij gespeeld. Probeer een andere zet.",
    "{move} a été joué dans la partie. Essayez un autre coup.", "{move} был сыгран в партии. Попробуйте другой ход.",
    "{move} wurde in der Partie gespielt. Versuchen Sie einen anderen Zug.", "{move} zagrano w partii. Spróbuj innego ruchu.",
  ],
  judgesMove: [
    "Your move is being judged…", "Uw zet wordt beoordeeld…", "Votre coup est évalué…", "Ваш ход оценивается…",
    "Ihr Zug wird beurteilt…", "Twój ruch jest oceniany…",
  ],
  notBetter: [
    "{move} gives away {share} % of the points. Try another move.", "{move} geeft {share} % van de punten weg. Probeer een andere zet.",
    "{move} concède {share} % des points. Essayez un autre coup.", "{move} упускает {share} % очков. Попробуйте другой ход.",
    "{move} verschenkt {share} % der Punkte. Versuchen Sie einen anderen Zug.", "{move} oddaje {share} % punktów. Spróbuj innego ruchu.",
  ],
  betterIs: ["Better is {line}", "Beter is {line}", "Mieux : {line}", "Лучше {line}", "Besser ist {line}", "Lepsze jest {line}"],
  solution: ["Solution", "Oplossing", "Solution", "Решение", "Lösung", "Rozwiązanie"],
  nextMistake: ["Next", "Volgende", "Suivant", "Дальше", "Weiter", "Dalej"],
  endSearch: ["Back to the game", "Terug naar de partij", "Retour à la partie", "Назад к партии", "Zurück zur Partie", "Wróć do partii"],
  soughtEnough: [
    "The board shows the game again.", "Het bord toont weer de partij.", "Le damier montre à nouveau la partie.", "На доске снова партия.",
    "Das Brett zeigt wieder die Partie.", "Na planszy znów jest partia.",
  ],
  allSought: [
    "There are no more mistakes.", "Er is geen andere fout meer.", "Il ne reste pas d’autre erreur.", "Других ошибок не осталось.",
    "Es ist kein anderer Fehler übrig.", "Nie ma już innych błędów.",
  ],
  "sought.found": ["found", "gevonden", "trouvé", "найдено", "gefunden", "znaleziono"],
  "sought.shown": ["shown", "getoond", "montré", "показано", "gezeigt", "pokazano"],
  searchComplete: [
    "The search is complete", "Er valt niets meer te zoeken", "La recherche est complète", "Поиск завершён",
    "Es gibt nichts mehr zu suchen", "Nie ma już czego szukać",
  ],
  searchedLong: [
    "Stopped after {minutes} minutes", "Gestopt na {minutes} minuten", "Arrêté après {minutes} minutes", "Остановлено через {minutes} минут",
    "Nach {minutes} Minuten angehalten", "Zatrzymano po {minutes} min",
  ],
  gameOver: [
    "The game is over here", "Hier is de partij afgelopen", "Ici la partie est finie", "Здесь партия окончена",
    "Hier ist die Partie zu Ende", "Tu partia się kończy",
  ],
  curve: [
    "Evaluation for White", "Beoordeling voor wit", "Évaluation pour les blancs", "Оценка за белых",
    "Bewertung für Weiß", "Ocena dla białych",
  ],

  // Endgames.
  endgames: ["Endgames", "Eindspel", "Finales", "Эндшпиль", "Endspiele", "Końcówki"],
  "value.win": ["win", "winst", "gain", "выигрыш", "Gewinn", "wygrana"],
  "value.draw": ["draw", "remise", "nulle", "ничья", "Remis", "remis"],
  "value.loss": ["loss", "verlies", "perte", "проигрыш", "Verlust", "przegrana"],
  "value.unknown": ["unknown", "onbekend", "inconnu", "неизвестно", "unbekannt", "nieznane"],
  plies: [
    "in {plies} {plies|ply|plies}", "in {plies} halve {plies|zet|zetten}",
    "en {plies} {plies|demi-coup|demi-coups}", "за {plies} {plies|полуход|полухода|полуходов}",
    "in {plies} {plies|Halbzug|Halbzügen}", "w {plies} {plies|półruchu|półruchach|półruchach}",
  ],
  conversion: [
    "{plies} {plies|ply|plies} to the next conversion", "{plies} halve {plies|zet|zetten} tot een slag of een zet met een schijf",
    "{plies} {plies|demi-coup|demi-coups} jusqu’à une prise ou un coup de pion", "{plies} {plies|полуход|полухода|полуходов} до взятия или хода простой шашкой",
    "{plies} {plies|Halbzug|Halbzüge} bis zum nächsten Schlag oder Steinzug",
    "{plies} {plies|półruch|półruchy|półruchów} do bicia lub ruchu pionkiem",
  ],
  perfectLine: ["Perfect line", "Perfect spel", "Jeu parfait", "Точная игра", "Bestes Spiel", "Najlepsza gra"],
  atMostPlies: [
    "in at most {plies} {plies|ply|plies}", "in hooguit {plies} halve {plies|zet|zetten}", "en {plies} {plies|demi-coup|demi-coups} au plus",
    "не больше чем за {plies} {plies|полуход|полухода|полуходов}", "in höchstens {plies} {plies|Halbzug|Halbzügen}", "najwyżej w {plies} {plies|półruchu|półruchach|półruchach}",
  ],
  knownWithin: [
    "the databases know the end within {plies} {plies|ply|plies}", "binnen {plies} halve {plies|zet|zetten} kennen de databases het einde",
    "les bases connaissent la suite après {plies} {plies|demi-coup|demi-coups}", "через {plies} {plies|полуход|полухода|полуходов} конец известен базам",
    "nach {plies} {plies|Halbzug|Halbzügen} kennen die Datenbanken das Ende", "po {plies} {plies|półruchu|półruchach|półruchach} koniec znają bazy",
  ],
  provedBySearch: ["Proved by search", "Bewezen door zoeken", "Prouvé par la recherche", "Доказано перебором", "Durch Suche bewiesen", "Udowodnione wyszukiwaniem"],
  searchesProof: ["Searching for a proof…", "Er wordt een bewijs gezocht…", "Recherche d’une preuve…", "Поиск доказательства…", "Ein Beweis wird gesucht…", "Szukamy dowodu…"],
  noProof: ["No proof was found.", "Er is geen bewijs gevonden.", "Aucune preuve trouvée.", "Доказательство не найдено.", "Kein Beweis gefunden.", "Nie znaleziono dowodu."],
  openCount: ["Not settled · {count}", "Onbeslist · {count}", "Incertains · {count}", "Не решено · {count}", "Ungeklärt · {count}", "Nierozstrzygnięte · {count}"],
  shortestWin: ["shortest", "kortste", "le plus court", "кратчайший", "am kürzesten", "najkrótszy"],
  longestDefence: ["longest defence", "langste verdediging", "défense la plus longue", "самая долгая защита", "längste Verteidigung", "najdłuższa obrona"],
  onlySolution: ["The only solution.", "De enige oplossing.", "La seule solution.", "Единственное решение.", "Die einzige Lösung.", "Jedyne rozwiązanie."],
  otherSolutions: [
    "Not the only solution: at {count} of {all} moves others win, too.", "Niet de enige oplossing: bij {count} van de {all} zetten winnen ook andere.",
    "Pas la seule solution : à {count} coups sur {all}, d’autres gagnent aussi.", "Не единственное решение: на {count} ходах из {all} выигрывают и другие.",
    "Nicht die einzige Lösung: Bei {count} von {all} Zügen gewinnen auch andere.", "Nie jedyne rozwiązanie: przy {count} z {all} ruchów wygrywają też inne.",
  ],
  equalHelp: [
    "In brackets: as good, with ★ just as long.", "Tussen haakjes: even goed, met ★ even lang.", "Entre parenthèses : aussi bons ; ★ : aussi longs.",
    "В скобках: столь же хорошие, с ★ той же длины.", "In Klammern: ebenso gut, mit ★ ebenso lang.", "W nawiasach: równie dobre, z ★ równie długie.",
  ],
  noLine: [
    "No line is known", "Geen variant bekend", "Aucune variante connue", "Вариант неизвестен",
    "Keine Variante bekannt", "Nie znamy wariantu",
  ],
  material: [
    "Pieces (White – Black)", "Stukken (wit – zwart)", "Pièces (blancs – noirs)", "Фигуры (белые – чёрные)",
    "Figuren (Weiß – Schwarz)", "Figury (białe – czarne)",
  ],
  and: ["and", "en", "et", "и", "und", "i"],
  man: ["man", "schijf", "pion", "шашка", "Stein", "pionek"],
  mans: ["men", "schijven", "pions", "шашки", "Steine", "pionki"],
  king: ["king", "dam", "dame", "дамка", "Dame", "damka"],
  kings: ["kings", "dammen", "dames", "дамки", "Damen", "damki"],
  task: ["Task", "Opgave", "Objectif", "Задача", "Aufgabe", "Zadanie"],
  toWin: ["win", "winnen", "gagner", "выиграть", "gewinnen", "wygrać"],
  toHold: ["hold the draw", "remise houden", "tenir la nulle", "удержать ничью", "Remis halten", "utrzymać remis"],
  endLesson: [
    "End the lesson", "Les beëindigen", "Terminer l’exercice", "Закончить упражнение",
    "Übung beenden", "Zakończ ćwiczenie",
  ],
  lessonEnded: [
    "The lesson has ended", "De les is afgelopen", "L’exercice est terminé", "Упражнение закончено",
    "Die Übung ist zu Ende", "Ćwiczenie zakończone",
  ],
  "lesson.win": [
    "Win with {side}", "Win met {side}", "Gagnez avec les {side}", "Выиграйте: ваша сторона — {side}",
    "Gewinnen Sie mit {side}", "Wygraj, grając: {side}",
  ],
  "lesson.draw": [
    "Hold the draw with {side}", "Houd remise met {side}", "Tenez la nulle avec les {side}", "Удержите ничью: ваша сторона — {side}",
    "Halten Sie Remis mit {side}", "Utrzymaj remis, grając: {side}",
  ],
  "verdict.perfect": [
    "{move}: perfect.", "{move}: perfect.", "{move} : parfait.", "{move}: безупречно.",
    "{move}: bester Zug.", "{move}: najlepszy ruch.",
  ],
  "verdict.holds": [
    "{move} keeps the result.", "{move} behoudt het resultaat.", "{move} conserve le résultat.", "{move} сохраняет результат.",
    "{move} hält das Ergebnis.", "{move} zachowuje wynik.",
  ],
  "verdict.inaccuracy": [
    "{move} costs {plies} {plies|ply|plies}; better: {best}.",
    "{move} kost {plies} halve {plies|zet|zetten}; beter: {best}.",
    "{move} perd {plies} {plies|demi-coup|demi-coups} ; mieux : {best}.",
    "{move} теряет {plies} {plies|полуход|полухода|полуходов}; лучше: {best}.",
    "{move} kostet {plies} {plies|Halbzug|Halbzüge}; besser: {best}.",
    "{move} traci {plies} {plies|półruch|półruchy|półruchów}; lepiej: {best}.",
  ],
  "verdict.mistake": [
    "{move} is a mistake; right was {best}.", "{move} is een fout; goed was {best}.",
    "{move} est une faute ; il fallait {best}.", "{move} — ошибка; правильно {best}.",
    "{move} ist ein Fehler; richtig war {best}.", "{move} to błąd; należało zagrać {best}.",
  ],
  reply: [
    "The answer is {move}.", "Het antwoord is {move}.", "La réponse est {move}.", "Ответ: {move}.",
    "Die Antwort ist {move}.", "Odpowiedź: {move}.",
  ],
  mistakes: ["Mistakes: {count}", "Fouten: {count}", "Fautes : {count}", "Ошибок: {count}", "Fehler: {count}", "Błędy: {count}"],

  // Position.
  setupHelp: [
    "Choose a piece and click on squares. Pieces can be dragged, also off the board.",
    "Kies een stuk en klik op velden. Stukken kunnen worden versleept, ook van het bord af.",
    "Choisissez une pièce et cliquez sur les cases. Les pièces se déplacent à la souris, aussi hors du damier.",
    "Выберите фигуру и нажимайте на поля. Фигуры можно перетаскивать, в том числе за пределы доски.",
    "Wählen Sie eine Figur und klicken Sie auf Felder. Figuren lassen sich ziehen, auch vom Brett herunter.",
    "Wybierz figurę i klikaj pola. Figury można przeciągać, także poza planszę.",
  ],
  piece: ["Piece", "Stuk", "Pièce", "Фигура", "Figur", "Figura"],
  erase: ["Erase", "Wissen", "Effacer", "Стереть", "Löschen", "Usuń"],
  turn: ["To move", "Aan zet", "Trait", "Очередь хода", "Am Zug", "Na posunięciu"],
  badFen: [
    "This is not a FEN, such as W:W31-50:B1-20", "Dit is geen FEN, zoals W:W31-50:B1-20",
    "Ce n’est pas un FEN, par exemple W:W31-50:B1-20", "Это не FEN; пример: W:W31-50:B1-20",
    "Das ist kein FEN, wie W:W31-50:B1-20", "To nie jest FEN, taki jak W:W31-50:B1-20",
  ],
  manOnLastRow: [
    "A man cannot be on its promotion row",
    "Een schijf kan niet op de damlijn staan",
    "Un pion ne peut rester sur la ligne de promotion",
    "Простая шашка не может стоять на дамочном поле",
    "Ein Stein kann nicht auf der Umwandlungsreihe stehen", "Pionek nie może stać na linii przemiany",
  ],
  bothSides: [
    "Both sides need a piece", "Beide kleuren hebben een stuk nodig",
    "Chaque camp doit avoir une pièce", "У обеих сторон должны быть фигуры",
    "Beide Seiten brauchen eine Figur", "Obie strony muszą mieć figurę",
  ],
  clear: ["Clear", "Leegmaken", "Vider", "Очистить", "Leeren", "Wyczyść"],
  done: [
    "Use this position", "Deze stand gebruiken", "Utiliser cette position", "Использовать позицию",
    "Diese Stellung übernehmen", "Użyj tej pozycji",
  ],
  setUp: [
    "The position is set up", "De stand is opgezet", "La position est en place", "Позиция расставлена",
    "Die Stellung ist aufgestellt", "Pozycja ustawiona",
  ],

  // Book.
  noBook: [
    "There is no opening book", "Er is geen openingsboek", "Il n’y a pas de livre d’ouvertures", "Дебютной книги нет",
    "Es gibt kein Eröffnungsbuch", "Nie ma książki debiutów",
  ],
  notInBook: [
    "This position is not in the book", "Deze stand staat niet in het boek",
    "Cette position n’est pas dans le livre", "Этой позиции нет в книге",
    "Diese Stellung steht nicht im Buch", "Tej pozycji nie ma w książce",
  ],
  bookGames: [
    "Games: {games}", "Partijen: {games}", "Parties : {games}", "Партий: {games}",
    "Partien: {games}", "Partie: {games}",
  ],
  bookDepth: [
    "searched to depth {depth}", "doorzocht tot diepte {depth}", "calculé à la profondeur {depth}", "просчитано на глубину {depth}",
    "durchsucht bis Tiefe {depth}", "zbadano do głębokości {depth}",
  ],
  move: ["Move", "Zet", "Coup", "Ход", "Zug", "Ruch"],
  gamesCount: ["Games", "Partijen", "Parties", "Партии", "Partien", "Partie"],
  score: ["Score", "Score", "Évaluation", "Оценка", "Bewertung", "Ocena"],

  // Games.
  game: ["Game", "Partij", "Partie", "Партия", "Partie", "Partia"],
  event: ["Event", "Toernooi", "Tournoi", "Турнир", "Turnier", "Turniej"],
  date: ["Date", "Datum", "Date", "Дата", "Datum", "Data"],
  clockHas: ["clock {seconds} s", "klok {seconds} s", "pendule {seconds} s", "часы {seconds} с", "Uhr {seconds} s", "zegar {seconds} s"],
  resultLabel: ["Result", "Uitslag", "Résultat", "Результат", "Ergebnis", "Wynik"],
  openFile: [
    "Open a PDN file", "PDN-bestand openen", "Ouvrir un fichier PDN", "Открыть файл PDN",
    "PDN-Datei öffnen", "Otwórz plik PDN",
  ],
  readPdn: ["Read the text", "Tekst lezen", "Lire le texte", "Прочитать текст", "Text lesen", "Odczytaj tekst"],
  copyFen: ["Copy FEN", "FEN kopiëren", "Copier le FEN", "Копировать FEN", "FEN kopieren", "Kopiuj FEN"],
  saveSvg: ["Save SVG", "SVG opslaan", "Enregistrer le SVG", "Сохранить SVG", "SVG speichern", "Zapisz SVG"],
  copied: [
    "Copied: {text}", "Gekopieerd: {text}", "Copié : {text}", "Скопировано: {text}",
    "Kopiert: {text}", "Skopiowano: {text}",
  ],
  noGames: [
    "there is no game in it", "er staat geen partij in", "il ne contient aucune partie", "в нём нет партий",
    "es steht keine Partie darin", "nie ma w nim partii",
  ],
  gamesRead: [
    "Games read: {count}", "Partijen gelezen: {count}", "Parties lues : {count}", "Прочитано партий: {count}",
    "Partien gelesen: {count}", "Odczytane partie: {count}",
  ],
  moves: ["Moves", "Zetten", "Coups", "Ходы", "Züge", "Ruchy"],
  variation: ["Variation", "Variant", "Variante", "Вариант", "Variante", "Wariant"],
  comment: ["Comment", "Commentaar", "Commentaire", "Комментарий", "Kommentar", "Komentarz"],
  sign: ["Sign", "Teken", "Signe", "Знак", "Zeichen", "Znak"],
  undo: ["Undo", "Ongedaan maken", "Annuler la modification", "Отменить изменение", "Rückgängig", "Cofnij zmianę"],
  delete: [
    "Delete from here", "Vanaf hier wissen", "Supprimer à partir d’ici", "Удалить отсюда",
    "Ab hier löschen", "Usuń od tego miejsca",
  ],

  "key.board": [
    "to the board: arrows and Enter", "naar het bord: pijltjes en Enter", "au damier : flèches et Entrée", "к доске: стрелки и Enter",
    "zum Brett: Pfeiltasten und Enter", "do planszy: strzałki i Enter",
  ],
  "key.move": ["type a move", "een zet typen", "taper un coup", "ввести ход", "einen Zug eingeben", "wpisz ruch"],
  "key.steps": ["back, forward", "terug, vooruit", "coup précédent, suivant", "назад, вперёд", "zurück, vor", "wstecz, naprzód"],
  "key.ends": [
    "to the start, to the end", "naar het begin, naar het einde", "au début, à la fin", "в начало, в конец",
    "zum Anfang, zum Ende", "na początek, na koniec",
  ],
  "key.whole": [
    "analyse the whole game, stop", "hele partij analyseren, stoppen", "analyser toute la partie, arrêter", "анализ всей партии, стоп",
    "ganze Partie analysieren, anhalten", "analiza całej partii, stop",
  ],

  // Clocks, draws, impossible moves.
  clock: ["Clock", "Klok", "Pendule", "Часы", "Uhr", "Zegar"],
  noClock: ["No clock", "Zonder klok", "Sans pendule", "Без часов", "Ohne Uhr", "Bez zegara"],
  clockOf: ["{side}: {time}", "{side}: {time}", "{side} : {time}", "{side}: {time}", "{side}: {time}", "{side}: {time}"],
  pause: ["Pause", "Pauze", "Pause", "Пауза", "Pause", "Pauza"],
  goOn: ["Go on", "Verder", "Continuer", "Продолжить", "Weiter", "Dalej"],
  isPaused: [
    "The game is paused", "De partij is gepauzeerd", "La partie est en pause", "Партия приостановлена",
    "Die Partie ist angehalten", "Partia jest wstrzymana",
  ],
  goesOn: [
    "The game continues", "De partij gaat verder", "La partie continue", "Партия продолжается",
    "Die Partie geht weiter", "Partia trwa dalej",
  ],
  timeIsUp: ["time is up", "de tijd is om", "temps écoulé", "время истекло", "die Zeit ist abgelaufen", "czas minął"],
  resign: ["Resign", "Opgeven", "Abandonner", "Сдаться", "Aufgeben", "Poddaj się"],
  resigned: ["you resigned", "u gaf op", "vous avez abandonné", "вы сдались", "Sie haben aufgegeben", "poddana partia"],
  offerDraw: ["Offer a draw", "Remise aanbieden", "Proposer nulle", "Предложить ничью", "Remis anbieten", "Zaproponuj remis"],
  drawAgreed: ["agreed", "overeengekomen", "d’un commun accord", "по соглашению", "vereinbart", "za zgodą obu stron"],
  drawDeclined: [
    "The engine plays on", "De computer speelt door", "Le programme continue à jouer", "Программа играет дальше",
    "Das Programm spielt weiter", "Program gra dalej",
  ],
  "level.veryEasy": ["very easy", "heel makkelijk", "très facile", "очень легко", "sehr leicht", "bardzo łatwy"],
  "level.easy": ["easy", "makkelijk", "facile", "легко", "leicht", "łatwy"],
  "level.medium": ["medium", "gemiddeld", "moyen", "средне", "mittel", "średni"],
  "level.hard": ["hard", "moeilijk", "difficile", "трудно", "schwer", "trudny"],
  "level.veryHard": ["very hard", "heel moeilijk", "très difficile", "очень трудно", "sehr schwer", "bardzo trudny"],
  "level.full": ["full strength", "volle sterkte", "pleine force", "полная сила", "volle Stärke", "pełna siła"],
  "mark.ahead": [
    "prepared move", "vooraf gekozen zet", "coup préparé", "подготовленный ход",
    "vorbereiteter Zug", "przygotowany ruch",
  ],
  premoveSet: [
    "{from} goes to {to} as soon as it is your turn", "{from} gaat naar {to} zodra u aan zet bent",
    "{from} ira en {to} dès que ce sera à vous", "{from} пойдёт на {to}, как только будет ваш ход",
    "{from} zieht nach {to}, sobald Sie am Zug sind",
    "{from} pójdzie na {to}, gdy tylko będzie twój ruch",
  ],
  premoveGone: [
    "The prepared move was cancelled", "De vooraf gekozen zet vervalt", "Le coup préparé est oublié", "Подготовленный ход отменён",
    "Der vorbereitete Zug ist vergessen", "Przygotowany ruch odwołany",
  ],
  premoveFails: [
    "{from} cannot go to {to} now", "{from} kan nu niet naar {to}", "{from} ne peut plus aller en {to}", "{from} теперь не может пойти на {to}",
    "{from} kann jetzt nicht nach {to}", "{from} nie może teraz pójść na {to}",
  ],
  notYourPiece: [
    "This piece is not yours", "Dit stuk is niet van u", "Cette pièce n’est pas à vous", "Это не ваша фигура",
    "Diese Figur gehört nicht Ihnen", "To nie twoja figura",
  ],
  notItsTurn: [
    "It is the other side’s turn", "De tegenstander is aan zet", "C’est à l’autre camp de jouer", "Сейчас ход другой стороны",
    "Die andere Seite ist am Zug", "Teraz ruch drugiej strony",
  ],
  mustCapture: [
    "You must capture {count} {count|piece|pieces}, with the piece on {squares}",
    "U moet {count} {count|stuk|stukken} slaan, met het stuk op {squares}",
    "Vous devez prendre {count} {count|pièce|pièces}, avec la pièce en {squares}",
    "Нужно взять {count} {count|фигуру|фигуры|фигур}; бьёт фигура на {squares}",
    "Sie müssen {count} {count|Figur|Figuren} schlagen, mit der Figur auf {squares}",
    "Trzeba zbić {count} {count|figurę|figury|figur}; bije figura na {squares}",
  ],
  isBlocked: [
    "The piece on {square} has no move", "Het stuk op {square} heeft geen zet", "La pièce en {square} ne peut pas bouger", "У фигуры на {square} нет ходов",
    "Die Figur auf {square} hat keinen Zug", "Figura na {square} nie ma ruchu",
  ],
  manGoes: [
    "{from} to {to}: a man moves one square forward along a diagonal", "{from} naar {to}: een schijf gaat schuin één veld vooruit",
    "{from} à {to} : un pion avance d’une case en diagonale", "{from} на {to}: простая шашка ходит вперёд по диагонали на одно поле",
    "{from} nach {to}: ein Stein zieht schräg ein Feld vorwärts",
    "{from} na {to}: pionek idzie po przekątnej o jedno pole do przodu",
  ],
  kingGoes: [
    "{from} to {to}: a king moves along a free diagonal", "{from} naar {to}: een dam gaat over een vrije diagonaal",
    "{from} à {to} : une dame suit une diagonale libre", "{from} на {to}: дамка ходит по свободной диагонали",
    "{from} nach {to}: eine Dame zieht auf einer freien Schräge",
    "{from} na {to}: damka idzie po wolnej przekątnej",
  ],

  // Settings.
  settings: ["Settings", "Instellingen", "Réglages", "Настройки", "Einstellungen", "Ustawienia"],
  setSounds: ["Sounds", "Geluid", "Sons", "Звуки", "Töne", "Dźwięki"],
  setCoordinates: [
    "Numbers of the squares", "Nummers van de velden", "Numéros des cases", "Номера полей",
    "Nummern der Felder", "Numery pól",
  ],
  setPieces: ["Pieces", "Stukken", "Pièces", "Шашки", "Steine", "Pionki"],
  diagrams: ["Diagrams on paper", "Diagrammen op papier", "Diagrammes sur papier", "Диаграммы на бумаге", "Diagramme auf Papier", "Diagramy na papierze"],
  diagramsHelp: [
    "Collect positions, change their captions, and print six or twelve on a page.",
    "Verzamel standen, verander wat eronder staat en druk er zes of twaalf per pagina af.",
    "Rassemblez des positions, modifiez leurs légendes et imprimez-en six ou douze par page.",
    "Соберите позиции, измените подписи и напечатайте по шесть или двенадцать на странице.",
    "Stellungen sammeln, ändern, was darunter steht, und sechs oder zwölf auf eine Seite drucken.",
    "Zbierz pozycje, zmień podpisy i wydrukuj sześć lub dwanaście na stronie.",
  ],
  diagramAdd: [
    "Add this position", "Deze stand toevoegen", "Ajouter cette position", "Добавить эту позицию",
    "Diese Stellung hinzufügen", "Dodaj tę pozycję",
  ],
  diagramAdded: [
    "Diagram {number} is on the sheet", "Diagram {number} staat op het blad", "Le diagramme {number} est sur la feuille",
    "Диаграмма {number} добавлена", "Diagramm {number} ist auf dem Blatt", "Diagram {number} jest na arkuszu",
  ],
  diagramsFull: [
    "No more than {most} diagrams fit", "Er passen niet meer dan {most} diagrammen op", "Pas plus de {most} diagrammes",
    "Не больше {most} диаграмм", "Mehr als {most} Diagramme passen nicht", "Nie więcej niż {most} diagramów",
  ],
  diagramsPage: ["On a page", "Per pagina", "Par page", "На странице", "Auf einer Seite", "Na stronie"],
  diagramsClear: ["Empty the list", "Lijst leegmaken", "Vider la liste", "Очистить список", "Liste leeren", "Wyczyść listę"],
  print: ["Print", "Afdrukken", "Imprimer", "Печать", "Drucken", "Drukuj"],
  caption: [
    "Caption {number}", "Bijschrift {number}", "Légende {number}", "Подпись {number}", "Beschriftung {number}", "Podpis {number}",
  ],

  // The archive.
  recent: ["Recent games", "Recente partijen", "Parties récentes", "Недавние партии", "Letzte Partien", "Ostatnie partie"],
  saveAll: [
    "Save all as PDN", "Alles als PDN opslaan", "Tout enregistrer en PDN", "Сохранить всё в PDN",
    "Alles als PDN speichern", "Zapisz wszystko w PDN",
  ],
  forget: ["Forget {title}", "{title} vergeten", "Oublier {title}", "Забыть: {title}", "{title} vergessen", "Zapomnij: {title}"],
  gamesOf: [
    "{count} {count|game|games}", "{count} {count|partij|partijen}", "{count} {count|partie|parties}", "{count} {count|партия|партии|партий}",
    "{count} {count|Partie|Partien}", "{count} {count|partia|partie|partii}",
  ],
  pliesOf: [
    "{plies} {plies|ply|plies}", "{plies} halve {plies|zet|zetten}", "{plies} {plies|demi-coup|demi-coups}",
    "{plies} {plies|полуход|полухода|полуходов}",
    "{plies} {plies|Halbzug|Halbzüge}", "{plies} {plies|półruch|półruchy|półruchów}",
  ],

  // Analysis on the board.
  threat: ["Threat", "Dreiging", "Menace", "Угроза", "Drohung", "Groźba"],
  threatIs: [
    "The other side threatens {move}", "De tegenstander dreigt met {move}", "L’autre camp menace {move}", "Угроза соперника: {move}",
    "Die andere Seite droht {move}", "Druga strona grozi {move}",
  ],
  noThreat: ["Nothing is threatened", "Er dreigt niets", "Aucune menace", "Угроз нет", "Nichts droht", "Nic nie grozi"],
  redo: ["Redo", "Opnieuw uitvoeren", "Rétablir", "Повторить", "Wiederherstellen", "Ponów"],
  "key.drawings": [
    "on the board: a circle; begin and end an arrow", "op het bord: een cirkel; begin en einde van een pijl",
    "sur le damier : un cercle ; début et fin d’une flèche", "на доске: круг; начало и конец стрелки",
    "auf dem Brett: ein Kreis; Anfang und Ende eines Pfeils",
    "na planszy: kółko; początek i koniec strzałki",
  ],
  "key.undo": [
    "undo, redo", "ongedaan maken, opnieuw uitvoeren", "annuler, rétablir", "отменить, повторить",
    "rückgängig, wiederherstellen", "cofnij, ponów",
  ],

  // The list of games.
  search: ["Search", "Zoeken", "Chercher", "Поиск", "Suchen", "Szukaj"],
  gamesFound: [
    "{count} of {of}", "{count} van {of}", "{count} sur {of}", "{count} из {of}",
    "{count} von {of}", "{count} z {of}",
  ],

  // Addresses.
  copyLink: ["Copy link", "Link kopiëren", "Copier le lien", "Копировать ссылку", "Link kopieren", "Kopiuj link"],
  badLink: [
    "The link cannot be opened", "De link kan niet worden geopend", "Le lien ne peut être ouvert", "Ссылку открыть не удалось",
    "Der Link lässt sich nicht öffnen", "Nie można otworzyć linku",
  ],
  otherOrigin: [
    "the file is on another site", "het bestand staat op een andere site",
    "le fichier se trouve sur un autre site", "файл лежит на другом сайте",
    "die Datei liegt auf einer anderen Seite", "plik leży na innej stronie",
  ],

  // A database of games.
  year: ["Year", "Jaar", "Année", "Год", "Jahr", "Rok"],
  years: ["Years", "Jaren", "Années", "Годы", "Jahre", "Lata"],
  points: ["Score", "Score", "Score", "Очки", "Punkte", "Punkty"],
  opponent: ["Opponent", "Tegenstander", "Adversaire", "Соперник", "Gegner", "Przeciwnik"],
  minRating: ["Rating from", "Rating vanaf", "Elo minimum", "Рейтинг от", "Wertung ab", "Ranking od"],
  lengthInPlies: [
    "Length in plies", "Lengte in halve zetten", "Longueur en demi-coups", "Длина в полуходах", "Länge in Halbzügen",
    "Długość w półruchach",
  ],
  manoeuvre: ["Moves played", "Gespeelde zetten", "Coups joués", "Сыгранные ходы", "Gespielte Züge", "Zagrane ruchy"],
  rating: ["Rating", "Rating", "Classement", "Рейтинг", "Wertung", "Ranking"],
  drawPattern: ["Draw a pattern", "Patroon tekenen", "Dessiner un motif", "Нарисовать шаблон", "Muster zeichnen", "Narysuj wzór"],
  patternHelp: [
    "Choose a mark and a piece, then squares of the board.", "Kies een markering en een stuk, en dan velden van het bord.",
    "Choisissez une marque et une pièce, puis des cases du damier.", "Выберите отметку и фигуру, затем поля доски.",
    "Wählen Sie eine Marke und eine Figur, dann Felder des Bretts.", "Wybierz znak i figurę, a potem pola planszy.",
  ],
  markLabel: ["Mark", "Markering", "Marque", "Отметка", "Marke", "Znak"],
  "mark.must": ["must be there", "moet er staan", "doit y être", "должно быть", "muss da sein", "musi być"],
  "mark.one-of": ["one of these", "een van deze", "une de celles-ci", "одно из этих", "eines von diesen", "jedno z tych"],
  "mark.not": ["must not be there", "mag er niet staan", "ne doit pas y être", "не должно быть", "darf nicht da sein", "nie może być"],
  earlierGames: ["Games before", "Vorige partijen", "Parties précédentes", "Предыдущие партии", "Vorige Partien", "Poprzednie partie"],
  furtherGames: ["Games after", "Volgende partijen", "Parties suivantes", "Следующие партии", "Weitere Partien", "Następne partie"],
  addGames: ["Add PDN files", "PDN-bestanden toevoegen", "Ajouter des fichiers PDN", "Добавить файлы PDN", "PDN-Dateien hinzufügen", "Dodaj pliki PDN"],
  gamesAdded: [
    "New: {added} of {games}", "Nieuw: {added} van {games}", "Nouvelles : {added} sur {games}", "Новых: {added} из {games}",
    "Neu: {added} von {games}", "Nowe: {added} z {games}",
  ],

  // The rail, the panel and its menus.
  more: ["More", "Meer", "Plus", "Ещё", "Mehr", "Więcej"],
  panel: ["Beside the board", "Naast het bord", "À côté du damier", "Рядом с доской", "Neben dem Brett", "Obok planszy"],
  share: ["Share", "Delen", "Partager", "Поделиться", "Teilen", "Udostępnij"],
  gameMenu: ["Menu of the game", "Menu van de partij", "Menu de la partie", "Меню партии", "Menü der Partie", "Menu partii"],
  reportMenu: ["Menu of the report", "Menu van het verslag", "Menu du rapport", "Меню отчёта", "Menü des Berichts", "Menu raportu"],
  aboutPosition: ["About this position", "Over deze stand", "Sur cette position", "Об этой позиции", "Zu dieser Stellung", "O tej pozycji"],
  endgame: ["Endgame", "Eindspel", "Finale", "Эндшпиль", "Endspiel", "Końcówka"],
  startGame: ["Start game", "Partij beginnen", "Commencer la partie", "Начать партию", "Partie beginnen", "Rozpocznij partię"],
  threatHelp: [
    "Threat: what would the other side do?", "Dreiging: wat zou de tegenstander doen?", "Menace : que ferait l’autre camp ?",
    "Угроза: что сделал бы соперник?", "Drohung: was würde die andere Seite tun?", "Groźba: co zrobiłaby druga strona?",
  ],
  linesArrows: ["Lines, arrows", "Varianten, pijlen", "Variantes, flèches", "Варианты, стрелки", "Varianten, Pfeile", "Warianty, strzałki"],
  engineOff: ["The engine is off.", "De computer staat uit.", "Le programme est arrêté.", "Программа выключена.", "Das Programm ist aus.", "Program jest wyłączony."],
  practise: ["Practise", "Oefenen", "S’exercer", "Упражнение", "Üben", "Ćwicz"],
  results: ["White · draw · Black", "Wit · remise · zwart", "Blancs · nulle · noirs", "Белые · ничья · чёрные", "Weiß · Remis · Schwarz", "Białe · remis · czarne"],
  thisFile: ["This file", "Dit bestand", "Ce fichier", "Этот файл", "Diese Datei", "Ten plik"],
  allGames: ["All games", "Alle partijen", "Toutes les parties", "Все партии", "Alle Partien", "Wszystkie partie"],
  repeatHelp: [
    "A puzzle that you missed comes back after ten minutes, then after 1, 3, 7, 21 and 60 days.",
    "Een gemiste opgave komt terug na tien minuten, daarna na 1, 3, 7, 21 en 60 dagen.",
    "Un problème manqué revient après dix minutes, puis après 1, 3, 7, 21 et 60 jours.",
    "Нерешённая задача вернётся через десять минут, потом через 1, 3, 7, 21 и 60 дней.",
    "Eine verfehlte Aufgabe kommt nach zehn Minuten wieder, dann nach 1, 3, 7, 21 und 60 Tagen.",
    "Nierozwiązane zadanie wraca po dziesięciu minutach, potem po 1, 3, 7, 21 i 60 dniach.",
  ],
  curveHelp: [
    "See how the game went, and where.", "Zie hoe de partij verliep, en waar.", "Voyez comment la partie a tourné, et où.",
    "Посмотрите, как шла партия и где она решилась.", "Sehen, wie die Partie lief, und wo.", "Zobacz, jak i gdzie rozstrzygała się partia.",
  ],
  analyseGame: ["Analyse game", "Partij analyseren", "Analyser la partie", "Анализ партии", "Partie analysieren", "Analizuj partię"],
  rematch: ["Rematch", "Revanche", "Revanche", "Реванш", "Revanche", "Rewanż"],
  commentSign: ["Comment and sign", "Commentaar en teken", "Commentaire et signe", "Комментарий и знак", "Kommentar und Zeichen", "Komentarz i znak"],
  nextPosition: ["Next position", "Volgende stand", "Position suivante", "Следующая позиция", "Nächste Stellung", "Następna pozycja"],
  fromYourGames: ["From your games", "Uit uw partijen", "De vos parties", "Из ваших партий", "Aus Ihren Partien", "Z Twoich partii"],
  continue: ["Continue", "Verder", "Continuer", "Продолжить", "Weiter", "Dalej"],
  addGamesShort: ["Open PDN file", "PDN-bestand openen", "Ouvrir un PDN", "Открыть файл PDN", "PDN-Datei öffnen", "Otwórz plik PDN"],
  addFiles: ["Add files", "Bestanden toevoegen", "Ajouter des fichiers", "Добавить файлы", "Dateien hinzufügen", "Dodaj pliki"],
  filter: ["Filter", "Filter", "Filtrer", "Фильтр", "Filter", "Filtr"],
  noGameFits: ["No game fits.", "Geen partij voldoet.", "Aucune partie ne convient.", "Нет подходящих партий.", "Keine Partie passt.", "Żadna partia nie pasuje."],
  dropHere: ["Drop PDN files here", "Sleep PDN-bestanden hierheen", "Déposez ici des fichiers PDN", "Перетащите сюда файлы PDN", "PDN-Dateien hier ablegen", "Upuść tu pliki PDN"],
  dropHelp: [
    "Search your games by player, event, position or a pattern on the board, and see which moves were played and how they did.",
    "Zoek in uw partijen op speler, toernooi, stand of een patroon op het bord, en zie welke zetten gespeeld werden en hoe het afliep.",
    "Cherchez dans vos parties par joueur, tournoi, position ou motif sur le damier, et voyez quels coups ont été joués et leurs résultats.",
    "Ищите в своих партиях по игроку, турниру, позиции или шаблону на доске и смотрите, какие ходы делались и с каким итогом.",
    "Suchen Sie in Ihren Partien nach Spieler, Turnier, Stellung oder einem Muster auf dem Brett, und sehen Sie, welche Züge gespielt wurden und wie sie ausgingen.",
    "Szukaj w swoich partiach według gracza, turnieju, pozycji lub wzoru na planszy i zobacz, jakie ruchy grano i z jakim skutkiem.",
  ],
  chooseFiles: ["Choose files", "Bestanden kiezen", "Choisir des fichiers", "Выбрать файлы", "Dateien wählen", "Wybierz pliki"],
  dropStays: [
    "Files stay on this computer. To keep a large collection open at every start:", "Bestanden blijven op deze computer. Om een grote verzameling bij elke start open te hebben:",
    "Les fichiers restent sur cet ordinateur. Pour garder une grande collection ouverte à chaque démarrage :",
    "Файлы остаются на этом компьютере. Чтобы большое собрание открывалось при каждом запуске:",
    "Dateien bleiben auf diesem Computer. Damit eine große Sammlung bei jedem Start offen ist:",
    "Pliki zostają na tym komputerze. Aby duży zbiór był otwarty przy każdym uruchomieniu:",
  ],
  keysHelp: ["Keys and help", "Toetsen en hulp", "Raccourcis et aide", "Клавиши и справка", "Tasten und Hilfe", "Klawisze i pomoc"],
  strengthBy: ["Strength by", "Sterkte naar", "Force selon", "Сила по", "Stärke nach", "Siła według"],
  secondsWord: ["Seconds", "Seconden", "Secondes", "Секунды", "Sekunden", "Sekundy"],
  nodes: ["Nodes", "Knopen", "Nœuds", "Узлы", "Knoten", "Węzły"],
  setUpPosition: ["Set up a position", "Een stand opzetten", "Composer une position", "Расставить позицию", "Eine Stellung aufbauen", "Ustaw pozycję"],
  openPdn: ["Open PDN file…", "PDN-bestand openen…", "Ouvrir un fichier PDN…", "Открыть файл PDN…", "PDN-Datei öffnen…", "Otwórz plik PDN…"],
  typeTitle: ["Type a move", "Een zet typen", "Taper un coup", "Ввести ход", "Einen Zug eingeben", "Wpisz ruch"],
  namesResult: ["Names and result", "Namen en uitslag", "Noms et résultat", "Имена и результат", "Namen und Ergebnis", "Nazwiska i wynik"],
  playFromHere: ["Play from here", "Van hier af spelen", "Jouer à partir d’ici", "Играть отсюда", "Von hier aus spielen", "Graj stąd"],
  copyMore: ["Copy PDN, FEN; save SVG…", "PDN, FEN kopiëren; SVG opslaan…", "Copier PDN, FEN ; SVG…", "PDN, FEN, SVG…", "PDN, FEN kopieren; SVG…", "Kopiuj PDN, FEN; SVG…"],
  diagramsMenu: ["Diagrams on paper…", "Diagrammen op papier…", "Diagrammes sur papier…", "Диаграммы на бумаге…", "Diagramme auf Papier…", "Diagramy na papierze…"],
  wholeAgain: ["Analyse again…", "Opnieuw analyseren…", "Analyser encore…", "Ещё один анализ…", "Noch einmal analysieren…", "Analizuj ponownie…"],
  mainLine: ["Main line", "Hoofdvariant", "Principale", "Основной", "Hauptvariante", "Główny"],
  any: ["any", "alle", "tous", "любой", "alle", "każdy"],
  orPaste: ["or paste PDN here", "of plak hier PDN", "ou collez un PDN ici", "или вставьте PDN сюда", "oder PDN hier einfügen", "albo wklej tu PDN"],
  setTheme: ["Colours", "Kleuren", "Couleurs", "Цвета", "Farben", "Kolory"],
  themeSystem: ["Automatic", "Automatisch", "Automatique", "Авто", "Automatisch", "Auto"],
  themeLight: ["Light", "Licht", "Clair", "Светлые", "Hell", "Jasne"],
  themeDark: ["Dark", "Donker", "Sombre", "Тёмные", "Dunkel", "Ciemne"],
  lightColours: ["Light colours", "Lichte kleuren", "Couleurs claires", "Светлые цвета", "Helle Farben", "Jasne kolory"],
  darkColours: ["Dark colours", "Donkere kleuren", "Couleurs sombres", "Тёмные цвета", "Dunkle Farben", "Ciemne kolory"],
  on: ["On", "Aan", "Oui", "Вкл.", "An", "Wł."],
  off: ["Off", "Uit", "Non", "Выкл.", "Aus", "Wył."],
  levelIs: ["Level {level}", "Niveau {level}", "Niveau {level}", "Уровень {level}", "Stufe {level}", "Poziom {level}"],
  clockHelp: [
    "{minutes} {minutes|minute|minutes}, and {seconds} {seconds|second|seconds} for each move",
    "{minutes} {minutes|minuut|minuten}, en {seconds} {seconds|seconde|seconden} per zet",
    "{minutes} {minutes|minute|minutes}, et {seconds} {seconds|seconde|secondes} par coup",
    "{minutes} {minutes|минута|минуты|минут} и {seconds} {seconds|секунда|секунды|секунд} на ход",
    "{minutes} {minutes|Minute|Minuten} und {seconds} {seconds|Sekunde|Sekunden} je Zug",
    "{minutes} {minutes|minuta|minuty|minut} i {seconds} {seconds|sekunda|sekundy|sekund} na ruch",
  ],
  secondsEach: ["{seconds} s a move", "{seconds} s per zet", "{seconds} s par coup", "{seconds} с на ход", "{seconds} s je Zug", "{seconds} s na ruch"],
  nodesEach: ["{nodes} nodes a move", "{nodes} knopen per zet", "{nodes} nœuds par coup", "{nodes} узлов на ход", "{nodes} Knoten je Zug", "{nodes} węzłów na ruch"],
  paused: ["Paused", "Pauze", "En pause", "Пауза", "Pause", "Pauza"],
  hasCaptured: ["{count} captured", "{count} geslagen", "{count} pris", "взято: {count}", "{count} geschlagen", "zbite: {count}"],
  winner: ["winner", "winnaar", "vainqueur", "победа", "Sieger", "zwycięstwo"],
  youWin: ["You win", "U wint", "Vous gagnez", "Вы выиграли", "Sie gewinnen", "Wygrywasz"],
  youLose: ["You lose", "U verliest", "Vous perdez", "Вы проиграли", "Sie verlieren", "Przegrywasz"],
  afterMoves: [
    "after {moves} {moves|move|moves}", "na {moves} {moves|zet|zetten}", "après {moves} {moves|coup|coups}", "через {moves} {moves|ход|хода|ходов}",
    "nach {moves} {moves|Zug|Zügen}", "po {moves} {moves|ruchu|ruchach|ruchach}",
  ],
  movesOf: [
    "{moves} {moves|move|moves}", "{moves} {moves|zet|zetten}", "{moves} {moves|coup|coups}", "{moves} {moves|ход|хода|ходов}",
    "{moves} {moves|Zug|Züge}", "{moves} {moves|ruch|ruchy|ruchów}",
  ],
  toRepeatToday: ["{count} to repeat today", "{count} te herhalen vandaag", "{count} à revoir aujourd’hui", "{count} повторить сегодня", "{count} heute zu wiederholen", "{count} do powtórzenia dziś"],
  dueCount: ["{count} due", "{count} te herhalen", "{count} à revoir", "повторить: {count}", "{count} fällig", "do powtórki: {count}"],
  firstTry: ["{share} % at the first try", "{share} % meteen goed", "{share} % au premier essai", "{share} % с первого раза", "{share} % beim ersten Versuch", "{share} % za pierwszym razem"],
  solvedOf: ["{solved} of {all} solved", "{solved} van {all} opgelost", "{solved} sur {all} résolus", "решено {solved} из {all}", "{solved} von {all} gelöst", "rozwiązane: {solved} z {all}"],
  lessonDone: ["Done", "Gedaan", "Fait", "Пройдено", "Geschafft", "Zrobione"],
  nextInDays: [
    "next in {days} {days|day|days}", "weer over {days} {days|dag|dagen}", "à revoir dans {days} {days|jour|jours}", "снова через {days} {days|день|дня|дней}",
    "wieder in {days} {days|Tag|Tagen}", "znów za {days} {days|dzień|dni|dni}",
  ],
  notBegun: ["Not begun", "Niet begonnen", "Pas commencé", "Не начато", "Nicht begonnen", "Nie rozpoczęto"],
  lessonsDone: ["{done} of {all} done", "{done} van {all} gedaan", "{done} sur {all} faites", "пройдено {done} из {all}", "{done} von {all} geschafft", "zrobione: {done} z {all}"],
  backToLearn: ["Back to Learn", "Terug naar Leren", "Retour à Apprendre", "Назад к обучению", "Zurück zu Lernen", "Wróć do nauki"],
  exercisesNone: [
    "Analyse a game, or open a file with puzzles.", "Analyseer een partij, of open een bestand met opgaven.", "Analysez une partie, ou ouvrez un fichier de problèmes.",
    "Проанализируйте партию или откройте файл с задачами.", "Analysieren Sie eine Partie, oder öffnen Sie eine Datei mit Aufgaben.", "Przeanalizuj partię albo otwórz plik z zadaniami.",
  ],
  gaveAwayShare: ["It gave away {share} % of the points", "Het gaf {share} % van de punten weg", "Il a concédé {share} % des points", "Он упустил {share} % очков", "Er verschenkte {share} % der Punkte", "Oddał {share} % punktów"],
  fromDatabases: ["From the endgame databases", "Uit de eindspeldatabases", "Des bases de finales", "Из баз эндшпилей", "Aus den Endspieldatenbanken", "Z baz końcówek"],
  withAlone: ["with {move} alone", "alleen met {move}", "par {move} seulement", "только {move}", "nur mit {move}", "tylko {move}"],
  inPlies: ["in {plies}", "in {plies}", "en {plies}", "в {plies}", "in {plies}", "w {plies}"],
  winsCount: ["Wins · {count}", "Winst · {count}", "Gains · {count}", "Выигрыш · {count}", "Gewinne · {count}", "Wygrane · {count}"],
  drawsCount: ["Draws · {count}", "Remise · {count}", "Nulles · {count}", "Ничья · {count}", "Remis · {count}", "Remisy · {count}"],
  lossesCount: ["Losses · {count}", "Verlies · {count}", "Pertes · {count}", "Проигрыш · {count}", "Verluste · {count}", "Przegrane · {count}"],
  patternOnBoard: ["Pattern on the board", "Patroon op het bord", "Motif sur le damier", "Шаблон на доске", "Muster auf dem Brett", "Wzór na planszy"],
  readsFile: ["Reading {name}…", "{name} wordt gelezen…", "Lecture de {name}…", "Чтение {name}…", "{name} wird gelesen…", "Wczytywanie {name}…"],
  millionsASecond: ["{number} million a second", "{number} miljoen per seconde", "{number} millions par seconde", "{number} млн в секунду", "{number} Mio. je Sekunde", "{number} mln na sekundę"],
  thousandsASecond: ["{number} thousand a second", "{number} duizend per seconde", "{number} milliers par seconde", "{number} тыс. в секунду", "{number} Tsd. je Sekunde", "{number} tys. na sekundę"],
  depth: ["Depth {depth}", "Diepte {depth}", "Profondeur {depth}", "Глубина {depth}", "Tiefe {depth}", "Głębokość {depth}"],
  nodesIn: ["{nodes} nodes", "{nodes} knopen", "{nodes} nœuds", "узлов: {nodes}", "{nodes} Knoten", "węzły: {nodes}"],
  resume: ["Resume", "Verder", "Reprendre", "Продолжить", "Fortsetzen", "Wznów"],
  unfold: ["Show the variation {move}", "Variant {move} tonen", "Montrer la variante {move}", "Показать вариант {move}", "Variante {move} zeigen", "Pokaż wariant {move}"],
  "mark.take": ["is captured", "wordt geslagen", "est pris", "берётся", "wird geschlagen", "zostaje zbity"],
  boardWalnut: ["Walnut", "Noten", "Noyer", "Орех", "Nuss", "Orzech"],
  boardSlate: ["Slate", "Leisteen", "Ardoise", "Сланец", "Schiefer", "Łupek"],
  boardMoss: ["Moss", "Mos", "Mousse", "Мох", "Moos", "Mech"],
  boardStone: ["Stone", "Steen", "Pierre", "Камень", "Stein", "Kamień"],
  piecesTurned: ["Turned", "Gedraaid", "Tournées", "Точёные", "Gedreht", "Toczone"],
  piecesFlat: ["Flat", "Vlak", "Plates", "Плоские", "Flach", "Płaskie"],
  "key.files": ["open, save PDN", "PDN openen, opslaan", "ouvrir, enregistrer un PDN", "открыть, сохранить PDN", "PDN öffnen, speichern", "otwórz, zapisz PDN"],
  "key.theme": ["dark or light", "donker of licht", "sombre ou clair", "тёмные или светлые цвета", "dunkel oder hell", "ciemne lub jasne"],
  accuracy: ["Accuracy", "Nauwkeurigheid", "Précision", "Точность", "Genauigkeit", "Dokładność"],
  noValue: [
    "Values are known for up to {pieces} pieces; there are {now} on the board. Practise one:",
    "Waarden zijn bekend tot en met {pieces} stukken; er staan er {now} op het bord. Oefen er een:",
    "Les valeurs sont connues jusqu’à {pieces} pièces ; il y en a {now} sur le damier. Exercez-vous :",
    "Значения известны, если шашек не больше {pieces}; на доске их {now}. Упражнение:",
    "Werte sind bis zu {pieces} Steinen bekannt; auf dem Brett sind {now}. Üben Sie eines:",
    "Wartości są znane do {pieces} pionków; na planszy jest {now}. Poćwicz:",
  ],
  puzzlesHelp: [
    "One move alone wins, and it gives something away first.", "Eén zet wint, en die geeft eerst iets weg.", "Un seul coup gagne, et il donne d’abord quelque chose.",
    "Выигрывает только один ход, и сначала он что-то отдаёт.", "Nur ein Zug gewinnt, und er gibt zuerst etwas her.", "Wygrywa tylko jeden ruch, a najpierw coś oddaje.",
  ],
  exercisesHelp: [
    "The puzzles of a file, and the mistakes that a report has marked.", "De opgaven van een bestand, en de fouten die een verslag heeft gemarkeerd.",
    "Les problèmes d’un fichier, et les fautes marquées par un rapport.", "Задачи из файла и ошибки, отмеченные отчётом.",
    "Die Aufgaben einer Datei, und die Fehler, die ein Bericht markiert hat.", "Zadania z pliku i błędy zaznaczone w raporcie.",
  ],
  byLot: ["Random", "Willekeurig", "Au hasard", "Случайно", "Zufällig", "Losowo"],
  onlySetUp: ["Set up only", "Alleen opzetten", "Placer", "Расставить", "Nur aufbauen", "Tylko ustaw"],
  noMoves: [
    "No moves yet. Play one on the board, or press m and type it.", "Nog geen zetten. Doe er een op het bord, of druk op m en typ hem.",
    "Pas encore de coup. Jouez sur le damier, ou appuyez sur m et tapez-le.", "Ходов пока нет. Сделайте ход на доске или нажмите m и введите его.",
    "Noch keine Züge. Ziehen Sie auf dem Brett, oder drücken Sie m und tippen Sie.", "Nie ma jeszcze ruchów. Zagraj na planszy albo naciśnij m i wpisz ruch.",
  ],
  setMotion: ["Pieces slide", "Stukken schuiven", "Pièces glissantes", "Шашки скользят", "Steine gleiten", "Pionki się przesuwają"],
  "key.views": [
    "Play, Engine, Endgame, Position, Book, Menu, Learn, Games", "Spelen, Computer, Eindspel, Stand, Boek, Menu, Leren, Partijen",
    "Jouer, Programme, Finale, Position, Livre, Menu, Apprendre, Parties", "Игра, Программа, Эндшпиль, Позиция, Дебюты, Меню, Обучение, Партии",
    "Spielen, Programm, Endspiel, Stellung, Buch, Menü, Lernen, Partien", "Gra, Program, Końcówka, Pozycja, Debiuty, Menu, Nauka, Partie",
  ],
  "key.analyse": ["engine on, off", "computer aan, uit", "programme : marche, arrêt", "программа: вкл., выкл.", "Programm an, aus", "program: wł., wył."],
  strength: ["Strength", "Sterkte", "Force", "Сила", "Stärke", "Siła"],
  from: ["Start from", "Beginnen met", "Départ", "Начать с", "Beginnen mit", "Zacznij od"],
  thisPosition: ["This position", "Deze stand", "Cette position", "Эта позиция", "Diese Stellung", "Ta pozycja"],
  hidden: [
    "Values are hidden while you practise.", "Tijdens het oefenen zijn de waarden verborgen.", "Les valeurs sont cachées pendant l’exercice.",
    "Во время упражнения значения скрыты.", "Beim Üben sind die Werte verborgen.", "Podczas ćwiczenia wartości są ukryte.",
  ],
  wholeGame: ["Analyse whole game", "Hele partij analyseren", "Analyser toute la partie", "Анализ всей партии", "Ganze Partie analysieren", "Analizuj całą partię"],
  coordinatesInside: ["Inside", "Binnen", "Dedans", "Внутри", "Innen", "Wewnątrz"],
  coordinatesLarge: ["Large", "Groot", "Grands", "Крупные", "Groß", "Duże"],
  coordinatesOutside: ["Outside", "Buiten", "Dehors", "Вокруг", "Außen", "Wokół"],
  coordinatesNone: ["None", "Geen", "Aucun", "Нет", "Keine", "Brak"],
  withPosition: ["With this position", "Met deze stand", "Avec cette position", "С этой позицией", "Mit dieser Stellung", "Z tą pozycją"],
  withTwin: ["Also turned, colours exchanged", "Ook gedraaid, kleuren verwisseld", "Aussi retournée, couleurs échangées", "Также с поворотом и сменой цветов", "Auch gedreht, Farben vertauscht", "Także obrócona, z zamianą kolorów"],
  savePdn: ["Save as PDN", "Als PDN opslaan", "Enregistrer en PDN", "Сохранить в PDN", "Als PDN speichern", "Zapisz jako PDN"],
  puzzleTake: ["Take from the open games", "Uit de open partijen", "Des parties ouvertes", "Из открытых партий", "Aus offenen Partien", "Z otwartych partii"],
  book: ["Book", "Boek", "Livre", "Дебюты", "Buch", "Debiuty"],
  piecesWood: ["Wood", "Hout", "Bois", "Дерево", "Holz", "Drewno"],
  piecesRed: ["Red", "Rood", "Rouges", "Красные", "Rot", "Czerwone"],
  typeMove: ["A move, such as 32-28", "Een zet, zoals 32-28", "Un coup, par exemple 32-28", "Ход, например 32-28", "Ein Zug, etwa 32-28", "Ruch, na przykład 32-28"],
  setup: ["Position", "Stand", "Position", "Позиция", "Stellung", "Pozycja"],
  promote: ["Make main line", "Hoofdvariant maken", "Promouvoir la variante", "Сделать основным", "Zur Hauptvariante machen", "Ustaw jako główny"],
  betterMove: ["better {move}", "beter {move}", "mieux {move}", "лучше {move}", "besser {move}", "lepiej {move}"],
  copyPdn: ["Copy PDN", "PDN kopiëren", "Copier le PDN", "Копировать PDN", "PDN kopieren", "Kopiuj PDN"],
  engine: ["Engine", "Programma", "Programme", "Программа", "Programm", "Program"],
  instructive: ["Most instructive positions", "Leerzaamste standen", "Positions les plus instructives", "Самые поучительные позиции", "Lehrreichste Stellungen", "Najbardziej pouczające pozycje"],
  seconds: ["{seconds} s", "{seconds} s", "{seconds} s", "{seconds} с", "{seconds} s", "{seconds} s"],
};

const CODES = Object.keys(LANGUAGES);
const KEPT = "language";

/** The names of plural forms, in the order of the texts. */
const FORMS = ["one", "few", "many"];

/**
 * The text of this key in the user's language, with values for the names in braces. A noun with a
 * number lists its forms: {plies|ply|plies}, the last one for all other numbers.
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

/** Adds the texts of another page. @param {Record<string, string[]>} more */
export const add = (more) => Object.assign(TEXTS, more);

/** Whether there is a text of this key. */
export const has = (key) => key in TEXTS;

/** A score in men, with its sign; one that rounds to zero has none. */
export const men = (score) => {
  const text = score.toFixed(2);
  return Number(text) === 0 ? "0.00" : (score > 0 ? "+" : "") + text;
};

/** @returns {Iterable<HTMLElement>} */
const all = (selector) => document.querySelectorAll(selector);

/** Fills each element that names a text. */
export const translate = () => {
  document.documentElement.lang = t.language;
  for (const node of all("[data-text]")) node.textContent = t(node.dataset.text);
  for (const node of all("[data-label]")) {
    node.setAttribute("aria-label", t(node.dataset.label));
    if (node.localName === "button") node.title = t(node.dataset.label);
  }
  for (const node of all("[data-placeholder]")) node.setAttribute("placeholder", t(node.dataset.placeholder));
};

export const setLanguage = (code) => {
  t.language = CODES.includes(code) ? code : "en";
  try {
    localStorage.setItem(KEPT, t.language);
  } catch {
    // Without storage the page forgets the language.
  }
  translate();
};

const chosen = () => {
  try {
    const kept = localStorage.getItem(KEPT);
    if (CODES.includes(kept)) return kept;
  } catch {
    // Then the browser's own language is used.
  }
  const wanted = navigator.languages.map((language) => language.slice(0, 2));
  return wanted.find((code) => CODES.includes(code)) ?? "en";
};

t.language = chosen();
