// The texts of the page of a tournament, in the six languages of texts.js, in the same order.

import { add } from "../base/texts.js";

add({
  "live.lost": [
    "The connection is lost. This page may be out of date.", "De verbinding is weg. Wat hier staat, kan oud zijn.",
    "La connexion est perdue. Ce qui est affiché peut être ancien.", "Связь потеряна. Показанное могло устареть.",
    "Die Verbindung ist weg. Was hier steht, kann alt sein.", "Utracono połączenie. Dane mogą być nieaktualne.",
  ],
  "live.games": ["Games in play", "Lopende partijen", "Parties en cours", "Идущие партии", "Laufende Partien", "Trwające partie"],
  "live.noGames": [
    "No game is being played.", "Er wordt geen partij gespeeld.", "Aucune partie n’est en cours.",
    "Сейчас партий нет.", "Es läuft keine Partie.", "Nie jest rozgrywana żadna partia.",
  ],
  "live.places": ["Places", "Stand", "Classement", "Места", "Tabelle", "Miejsca"],
  "live.cells": [
    "3w1: against player 3 with White, won; = is a draw, 0 a loss, ? a game without a result.",
    "3w1: tegen speler 3 met wit, gewonnen; = is remise, 0 verlies, ? een partij zonder uitslag.",
    "3w1 : contre le joueur 3 avec les blancs, gagné ; = est une nulle, 0 une défaite, ? une partie sans résultat.",
    "3w1: против игрока 3 белыми, победа; = ничья, 0 поражение, ? партия без результата.",
    "3w1: gegen Spieler 3 mit Weiß, gewonnen; = ist Remis, 0 Verlust, ? eine Partie ohne Ergebnis.",
    "3w1: z graczem 3 białymi, wygrana; = to remis, 0 porażka, ? partia bez wyniku.",
  ],
  "live.rounds": ["Rounds", "Ronden", "Rondes", "Туры", "Runden", "Rundy"],
  "live.feed": ["Events", "Gebeurtenissen", "Événements", "События", "Ereignisse", "Wydarzenia"],
  "live.place": ["place", "plaats", "place", "место", "Platz", "miejsce"],
  "live.number": ["no.", "nr.", "n°", "№", "Nr.", "nr"],
  "live.player": ["player", "speler", "joueur", "игрок", "Spieler", "gracz"],
  "live.points": ["points", "punten", "points", "очки", "Punkte", "punkty"],
  "live.wins": ["wins", "gewonnen", "victoires", "победы", "Siege", "wygrane"],
  "live.round": ["Round {round}", "Ronde {round}", "Ronde {round}", "Тур {round}", "Runde {round}", "Runda {round}"],
  "live.next": [
    "Next round: {round}", "Volgende ronde: {round}", "Ronde suivante : {round}", "Следующий тур: {round}",
    "Nächste Runde: {round}", "Następna runda: {round}",
  ],
  "live.free": ["{player} is free", "{player} is vrij", "{player} est exempt", "{player} свободен", "{player} ist frei", "{player} pauzuje"],
  "live.game": ["Game {game}", "Partij {game}", "Partie {game}", "Партия {game}", "Partie {game}", "Partia {game}"],
  "live.move": ["move {move}", "zet {move}", "coup {move}", "ход {move}", "Zug {move}", "ruch {move}"],
  "live.depth": ["depth {depth}", "diepte {depth}", "profondeur {depth}", "глубина {depth}", "Tiefe {depth}", "głębokość {depth}"],
  "live.playing": ["being played", "bezig", "en cours", "играется", "läuft", "trwa"],
  "live.state.playing": ["in progress", "bezig", "en cours", "идёт", "läuft", "trwa"],
  "live.state.paused": ["paused", "onderbroken", "en pause", "пауза", "unterbrochen", "wstrzymany"],
  "live.state.stopping": [
    "stops after this round", "stopt na deze ronde", "s’arrête après cette ronde", "остановится после этого тура",
    "hält nach dieser Runde an", "zatrzyma się po tej rundzie",
  ],
  "live.state.break": ["break", "pauze", "pause entre les rondes", "перерыв", "Pause zwischen den Runden", "przerwa"],
  "live.state.over": ["over", "afgelopen", "terminé", "завершён", "beendet", "zakończony"],
  "live.state.interrupted": ["interrupted", "afgebroken", "interrompu", "прерван", "abgebrochen", "przerwany"],
  "live.event.round": [
    "Round {round} is paired", "Ronde {round} is ingedeeld", "La ronde {round} est appariée", "Составлены пары тура {round}",
    "Runde {round} ist ausgelost", "Skojarzono rundę {round}",
  ],
  "live.event.break": [
    "Break before round {round}", "Pauze voor ronde {round}", "Pause avant la ronde {round}", "Перерыв перед туром {round}",
    "Pause vor Runde {round}", "Przerwa przed rundą {round}",
  ],
  "live.event.begin": [
    "Game {game} begins: {white} – {black}", "Partij {game} begint: {white} – {black}", "La partie {game} commence : {white} – {black}",
    "Началась партия {game}: {white} – {black}", "Partie {game} beginnt: {white} – {black}", "Zaczyna się partia {game}: {white} – {black}",
  ],
  "live.event.game": [
    "Game {game}: {white} – {black} {result}", "Partij {game}: {white} – {black} {result}", "Partie {game} : {white} – {black} {result}",
    "Партия {game}: {white} – {black} {result}", "Partie {game}: {white} – {black} {result}", "Partia {game}: {white} – {black} {result}",
  ],
  "live.event.void": [
    "Game {game} is void and begins again", "Partij {game} telt niet en begint opnieuw", "La partie {game} est annulée et recommence",
    "Партия {game} не засчитана и начинается снова", "Partie {game} gilt nicht und beginnt neu", "Partia {game} jest nieważna i zaczyna się od nowa",
  ],
  "live.event.again": [
    "Game {game} begins again", "Partij {game} begint opnieuw", "La partie {game} recommence", "Партия {game} начинается снова",
    "Partie {game} beginnt neu", "Partia {game} zaczyna się od nowa",
  ],
  "live.event.decided": ["Director", "Wedstrijdleider", "Directeur", "Судья", "Turnierleiter", "Sędzia"],
  "live.event.pause": ["Paused", "Onderbroken", "En pause", "Пауза", "Unterbrochen", "Wstrzymano"],
  "live.event.resume": ["The games continue", "De partijen gaan verder", "Les parties reprennent", "Игра продолжается", "Die Partien gehen weiter", "Partie są kontynuowane"],
  "live.event.stop": [
    "It stops after this round", "Het stopt na deze ronde", "Arrêt après cette ronde", "Остановка после этого тура",
    "Halt nach dieser Runde", "Koniec po tej rundzie",
  ],
  "live.event.slow": ["{player} is slow to start", "{player} start traag", "{player} démarre lentement", "{player} долго запускается", "{player} startet langsam", "{player} wolno się uruchamia"],
  "live.event.end": ["The end", "Einde", "Fin", "Конец", "Ende", "Koniec"],
});
