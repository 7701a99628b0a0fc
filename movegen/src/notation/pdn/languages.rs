//! How plausible a text is in an encoding.
//!
//! What decides is how likely letters follow each other in the languages of countries where draughts is
//! played, learned from a few words of each; then where capitals and signs stand. Costs are negative
//! logarithms of probabilities: they add up, and the smallest is the best.

use std::sync::LazyLock;

use super::encoding::Encoding;

/// Common names, and words of draughts, of languages with letters beyond ASCII; Cyrillic ones first.
const WORDS: [&str; 15] = [
    // Russian.
    "ход белые чёрные партия чемпионат турнир москва лучше выигрыш ничья если теперь \
     комментарий первенство мира россия санкт петербург играет проигрывает после этого андрей \
     александр сергей ёлкин щукин цыганков цветков офицеров эмиль эдуард элла эрнест юрий юлия \
     хорошо хочет фёдоров фомин щит жизнь мышь объявить авдеева носова колобова ковалев \
     симонова власов макаров нина елисеев гаврила вадим соловьев доронина кулакова никонов \
     устин котова лора баранова лапина шилов киселева ян мамонтов авдеев галина",
    // Ukrainian.
    "ґава ґанок аґрус ґудзь хід білі чорні партія чемпіонат україни турнір київ львів краще \
     виграш нічия якщо після валенко бабенко дан лазаренко романенко галина савенко кабалюк \
     нестеренко сич тимченко орина даниленко марта вакарчук андрій власенко баран шило рева гук \
     стець єрмоленко затовканюк примаченко адаменко масоха іван аверченко ярослава христич \
     бараник деревʼянко гайда теличенко панчук валентин дубенко михалюк гаєвська жарко болеслав \
     забара охримович петренко василь макогон валерій цушко скорик",
    // Dutch and French.
    "één geïnspireerd fédération français championnat très après même où é à noël rené hélène \
     andré zoë daniël loïc françois gérard joël raphaël coördinatie vóór patiënt italië belgië \
     michaël chloé raphaëlle gaëtan maïté benoît jérôme château hôtel dámclub financiële \
     tweeënvijftig cliënt reünie ruïne ambiguïteit hè café coöperatie léo théo léa hélène esmée \
     josé élise léger adèle éric gillièron lévêque dorothée adélaïde béguelin loïs thérèse \
     bresé célina frédérique angèle joséphine lelièvre aimé noëlle",
    // German.
    "überraschung für größer schön müller jürgen weiß schwarz großmeister möglich zurück léane \
     köll schär dörthe köhler böck joël hélène mühle noé tröst kägi gönül grüner hänel zöhrer \
     jähn schüler frédérique näf kälin lübs cläre köck léa jörgen römer maëlle hölzl gieß küng \
     josé danièle schäfer mäder stöckl bühler döhn eloïse löffler schöberl désirée lüthi köster \
     spörri müller fröhlich bähr jérôme günter sönke käser schärer stéphanie zoé hüseyin kröll \
     fürst solène rüdiger noëlle anaïs thérèse schön inês",
    // Spanish, Portuguese, Italian.
    "señor campeón año não são coração più città é à josé peña muñoz núñez joão galán baró uría \
     ángeles alarcón inés marín román viña gastón álvarez aguiló ferrán matías eloísa mário \
     vallés barón juliá mínguez iván simó díaz alícia cantón adoración nélida cerdán llabrés \
     méndez ríos alcázar berrè garcía catalá tristán áurea miró chacón bárbara álamo emília léo \
     hernán nogués páez martín ísis nicolò piña adrián yáñez ascensión águeda tomé falcó suárez \
     vitória isaías girón eloá constança óscar darío españa",
    // Swedish, Finnish, Danish, Norwegian.
    "för är på även från större på år ære över mästare mænd edström söderström hämäläinen sirén \
     rönkkö perälä leppänen jörgen häggström andrén källström östen lönn helinä søs håkan \
     pöllänen söderlund pääkkönen yrjö bjørn granström helén räisänen kärki lundström högberg \
     söderman jönsson iréne sipilä mårten ahlström börje lindén svärd rosén hägg engström bøe \
     östman syrjälä åge øivind räsänen søren norén keinänen malmström seppä lähteenmäki sjögren \
     landström åberg märtha söderqvist næss hytönen ekström",
    // Polish.
    "łódź mistrzostwa się białe czarne są że będzie też już można łaś słoń dułak kołata kałek \
     wikło pałac łyś masłoń zgoła śliz łuczyk gałaj róża widłak drzał łabuś ośko jabłoński \
     pułka świętoń sołek szywała kiełek wołoch powała baś michał anioła ślęczka słyk kozień \
     padło żal łaszcz ciuła roś jędrak dąbrówka działo leśko pałęga świć żołna słupik brząkała \
     kruś łosiewicz drążyk szykuła jaskóła goś stępień miąsik oziębło śliwiński domżał żuberek \
     wrześniak cegła słoboda żymełka romańczyk szałaj świgoń wołos",
    // Czech and Slovak.
    "český šampionát černý bílý může že ještě přeborník věra zdeněk květa němeček běhal pěkný \
     město děti daněk soňa kuděla třetí kočová hušová kárová maková kušková dánová šimíková \
     horáková máčiková rišová dušičková ďurová šebová hoštáková hrašková holíková mináčová \
     kúšová malá jánová puškárová janáková tomáš kašparová seč ďurčová holičková máčeková \
     mišíková andrášová pavlíková krajčírová šidlová micháleková masáriková šimončič ľuboš \
     vaňková kušová bán švecová hanáková líška beňová kúsková očenášová",
    // Hungarian.
    "és fehér fekete győz játék első később bajnokság erdős szőke szűcs hegedűs győri mező \
     dezső jenő ernő lőrincz kőrösi kővári fűzfa tőke nő űr csűrös kálmán gáspár iván klára \
     ádám jónás márk fábián anikó máté bognár diána mátyás béla árpád oláh vörös nándor király \
     márta ottó ábel dóra bogdán sára róza mészáros zoltán andrás váradi török valéria fülöp \
     juhász beáta jános gábor bálint istván géza károly halász ildikó renáta júlia márton novák \
     virág dániel szabó gulyás jázmin elemér adrián dénes molnár",
    // Romanian.
    "și şi în română câștigă ţară anuța lucențiu luminița lascăr nicuță mădălina laurenția \
     ioniță speranța aurică brăduț lucrețiu mărioara nicușor nemeș aristița sinică florența \
     horațiu lazăr mitruț lucreția pleșu ionică tudorița vincențiu șerban anișoara măriuca \
     crenguța stănescu vlădelina mitică laurențiu romanița sânziana nicoară ștefana",
    // Croatian and Slovene.
    "prvenstvo bijeli crni može što već veić bačić šipić žiković šimičić šalić maršić nišević \
     antić žužić koščević lučić špišić kovačič čubrić šantić gržinčić mičetić šegović vlašić \
     mišković leščić radošević čiš božičković jurčić sorić katić tomažič žižek miočić štrljić \
     buršić žan dolić škara vukušić načinović staničić mužić žeželić šinković čotić bačak \
     perčić šunjić maša božičević carić galešić škrtić kirinčić rebić matošević hranić božič \
     špoljarić oršulić šelendić pavičić vučković blažević uroš kosić",
    // Turkish.
    "şahin yılmaz kılıç aslı ışık eşref kuş taş doğan türkiye şampiyonası beyaz siyah için \
     değil çok iyi oyuncu gül özgür günşen çağa gülsü ömür üçgül güngördü özay şener işın \
     şadıman gülçe aşir üstün mükrüme çağdan şali özlü bariş ergönül kırat çağlasın köktaş \
     hançer müşüre akgündüz şelâle gülüs uğur özüdoğru yıldırım ünal başay süha şüküfe gökçil \
     gülsalın öğet uçan ayülker toğan çaltı günar ümmühan şekim gürten çerçi adıgün öktürk \
     taşar dinçsü şeyda gülözge oğulbaş güngören üzer şide oldağ çisem önel",
    // Latvian.
    "ķēniņš ķirsis zaķis ģirts matīss šķēle baltie melnie čempionāts rīga spēlē gājiens \
     uzvarēja kārkliņa vītoliņš elīna āboliņš kļaviņa edīte krūmiņš māris līcis auniņa ērika \
     jānis dūmiņa zālītis ārija kļaviņš krišs rudīte turiņš ināra karlīna bērziņa alīda vītols \
     krēsliņa cīrulis skujiņš dārta ādolfs lagzdiņš žanis oļģerts rozītis alvīne lība krišjānis \
     avotiņš siliņa priedīte emīls kalējs līce jūla kundziņš regīna ādams kārlis diāna turiņa \
     kalniņš apsītis ilmārs dāvis lācis alfrēds kaņepa saulīte maža",
    // Lithuanian.
    "baltieji juodieji čempionatas vilnius žaidžia ėjimas ignė vėjūnė rugilė vasarė rimantė \
     lėja kiška rusnė ąžuolas rūta gintarė ramunė aurėja smiltė kalvėnas nausėda radvilė \
     jokūbas kęstutis žukauskas žygimantas",
    // Estonian.
    "valge mäng õige võit eesti meistrivõistlused mäe järv lääts jõe mürk põllu kärner mänd õun \
     kütt mäesalu lääne malõšev jürgens sööt käärik põder jõgi mändla štšerbakov aasmäe tõnu \
     lätt krõlov säde mäeots väli järve täht õunapuu müürsepp käsper nõmme põldma jõesaar \
     lõhmus pärtel gontšarov männik nadežda mõttus kesküla salumäe bõstrov jürgenson liivamägi \
     õispuu",
];

/// How many of the languages are Cyrillic.
const CYRILLIC: usize = 2;

/// Weight of a letter's own frequency against that of the pair, as if seen so often.
const SINGLE: f32 = 8.0;

/// Letters that were not seen count as if seen so often.
const UNSEEN: f32 = 2.0;

/// The cost of a letter that the language does not have, and that its script does not have.
const FOREIGN: f32 = 11.0;
const OTHER_SCRIPT: f32 = 14.0;

/// The cost of a letter that none of the languages could have.
const STRANGE: f32 = 20.0;

/// No letter: the start or end of a word.
const EDGE: usize = 0;

/// A language: the cost of each pair of letters.
struct Language {
    letters: Vec<char>,
    /// The number of each letter, from 1, by its code.
    numbers: Vec<u8>,
    costs: Vec<f32>,
    is_cyrillic: bool,
}

static LANGUAGES: LazyLock<Vec<Language>> =
    LazyLock::new(|| WORDS.into_iter().enumerate().map(Language::new).collect());

fn is_cyrillic(letter: char) -> bool {
    ('\u{400}'..='\u{4ff}').contains(&letter)
}

impl Language {
    fn new((place, words): (usize, &str)) -> Language {
        let is_cyrillic = place < CYRILLIC;
        let usual = if is_cyrillic { 'а'..='я' } else { 'a'..='z' };
        let mut letters: Vec<char> = words.chars().filter(|c| *c != ' ').chain(usual).collect();
        letters.sort_unstable();
        letters.dedup();
        let mut numbers = vec![0; 0x500];
        for (letter, number) in letters.iter().zip(1..) {
            numbers[*letter as usize] = number;
        }
        let mut language = Language { letters, numbers, costs: Vec::new(), is_cyrillic };
        let size = language.size();
        let (mut single, mut pairs) = (vec![UNSEEN; size], vec![0.0; size * size]);
        let mut last = EDGE;
        for c in words.chars().chain([' ']) {
            let number = language.number(c).unwrap_or(EDGE);
            single[number] += 1.0;
            pairs[last * size + number] += 1.0;
            last = number;
        }
        let all: f32 = single.iter().sum();
        let is_accented =
            |number: usize| number != EDGE && !language.letters[number - 1].is_ascii();
        let mut costs = Vec::with_capacity(size * size);
        for (last, row) in pairs.chunks(size).enumerate() {
            let sum: f32 = row.iter().sum();
            for (number, pair) in row.iter().enumerate() {
                let is_rare = !is_cyrillic && is_accented(last) && is_accented(number);
                let weight = if is_rare { SINGLE / 4.0 } else { SINGLE };
                let chance = (pair + weight * single[number] / all) / (sum + SINGLE);
                costs.push(-chance.ln());
            }
        }
        language.costs = costs;
        language
    }

    fn size(&self) -> usize {
        self.letters.len() + 1
    }

    fn number(&self, letter: char) -> Option<usize> {
        let number = self.numbers.get(letter as usize).copied().unwrap_or_default();
        Some(usize::from(number)).filter(|number| *number > 0)
    }

    /// The cost of the letters of a word.
    fn cost(&self, word: &[Glyph]) -> f32 {
        let size = self.size();
        let (mut last, mut sum) = (EDGE, 0.0);
        for glyph in word {
            let number = match glyph.kind {
                Kind::Small | Kind::Capital => match self.number(glyph.small) {
                    Some(number) => number,
                    None => {
                        let is_of_script = is_cyrillic(glyph.small) == self.is_cyrillic;
                        sum += match glyph.small {
                            '\u{500}'.. => STRANGE,
                            _ if is_of_script => FOREIGN,
                            _ => OTHER_SCRIPT,
                        };
                        last = EDGE;
                        continue;
                    }
                },
                Kind::Digit | Kind::Sign(_) => EDGE,
            };
            if (last, number) != (EDGE, EDGE) {
                sum += self.costs[last * size + number];
            }
            last = number;
        }
        if last == EDGE { sum } else { sum + self.costs[last * size] }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Small,
    Capital,
    Digit,
    /// Neither, with its cost.
    Sign(f32),
}

impl Kind {
    fn is_letter(self) -> bool {
        matches!(self, Kind::Small | Kind::Capital)
    }
}

/// A character of a word.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Glyph {
    pub(super) letter: char,
    /// The same as a small letter.
    small: char,
    kind: Kind,
}

impl From<char> for Glyph {
    fn from(letter: char) -> Glyph {
        let kind = match letter {
            '0'..='9' => Kind::Digit,
            '×' | '½' | '–' | '—' | '‘' | '’' | '“' | '”' | '„' | '«' | '»' | '…' | '№'
            | '\u{a0}' => Kind::Sign(3.0),
            '§' | '°' | '•' | '·' | '²' | '¼' | '¾' | '\u{ad}' | '†' | '©' | '±' | '¿' | '¡'
            | '€' | '´' => Kind::Sign(5.0),
            'ª' | 'º' => Kind::Sign(6.0),
            _ if letter.is_uppercase() => Kind::Capital,
            _ if letter.is_lowercase() => Kind::Small,
            // Control characters, and what is none at all.
            '\u{80}'..='\u{9f}' | char::REPLACEMENT_CHARACTER => Kind::Sign(14.0),
            // Frames and blocks.
            '\u{2300}'..='\u{25ff}' => Kind::Sign(11.0),
            '\u{2800}'..='\u{28ff}' => Kind::Sign(STRANGE),
            // Letters of scripts without capitals.
            _ if letter.is_alphabetic() => Kind::Small,
            _ => Kind::Sign(8.0),
        };
        // The dot of the Turkish capital is a character of its own in small letters.
        let small = letter.to_lowercase().next().unwrap_or(letter);
        Glyph { letter, small, kind }
    }
}

/// The cost of capitals and signs where they stand, whatever the language.
fn form(word: &[Glyph]) -> f32 {
    let kind = |place: Option<usize>| {
        place.and_then(|place| word.get(place)).map_or(Kind::Sign(0.0), |glyph| glyph.kind)
    };
    let cost = |(place, glyph): (usize, &Glyph)| {
        let (last, next) = (kind(place.checked_sub(1)), kind(Some(place + 1)));
        let is_between_squares = last == Kind::Digit && next == Kind::Digit;
        match glyph.kind {
            Kind::Sign(cost)
                if matches!(glyph.letter, '×' | '–' | '—' | '½') && is_between_squares =>
            {
                cost - 2.0
            }
            Kind::Sign(cost) if glyph.letter == char::REPLACEMENT_CHARACTER => cost,
            Kind::Sign(cost) if matches!(glyph.letter, '’' | '\u{ad}') && last.is_letter() => {
                cost
            }
            // As in van ’t Hof.
            Kind::Sign(cost) if glyph.letter == '’' && place + 2 == word.len() => cost,
            Kind::Sign(cost) => match (last.is_letter(), next.is_letter()) {
                (true, true) => cost + 12.0,
                (false, false) => cost,
                _ => cost + 8.0,
            },
            // The sign of captures on Russian keyboards.
            _ if matches!(glyph.small, 'х') && is_between_squares => -2.0,
            Kind::Capital | Kind::Small
                if !glyph.letter.is_ascii() && (last == Kind::Digit || next == Kind::Digit) =>
            {
                4.0
            }
            Kind::Capital if last == Kind::Small => 5.0,
            Kind::Small if last == Kind::Capital => {
                let before = kind(place.checked_sub(2));
                if before == Kind::Capital { 5.0 } else { 0.0 }
            }
            _ => 0.0,
        }
    };
    word.iter().enumerate().map(cost).sum()
}

/// The costs of a text in each language.
#[derive(Clone, Copy)]
pub(super) struct Costs([f32; WORDS.len()]);

impl Costs {
    pub(super) const NOTHING: Costs = Costs([0.0; WORDS.len()]);

    /// Those of a word, with letters beyond ASCII.
    pub(super) fn of(word: &[Glyph]) -> Costs {
        let form = form(word);
        let mut costs = Costs::NOTHING;
        for (cost, language) in costs.0.iter_mut().zip(&*LANGUAGES) {
            *cost = form + language.cost(word);
        }
        costs
    }

    /// Those of a word in ASCII: it says nothing about the encoding, but something about the language.
    pub(super) fn of_plain(word: &[Glyph]) -> Costs {
        let mut costs = Costs::of(word);
        let least = costs.least();
        costs.0[..CYRILLIC].fill(0.0);
        costs.0[CYRILLIC..].iter_mut().for_each(|cost| *cost -= least);
        costs
    }

    pub(super) fn add(&mut self, other: &Costs) {
        self.0.iter_mut().zip(&other.0).for_each(|(sum, cost)| *sum += cost);
    }

    /// Those of the language that fits best.
    pub(super) fn least(&self) -> f32 {
        self.0.into_iter().fold(f32::INFINITY, f32::min)
    }
}

/// An encoding that a text may have, and its cost before anything is known: the rarer, the higher.
pub(super) struct Candidate {
    pub(super) encoding: Encoding,
    pub(super) cost: f32,
    /// The characters of the bytes from 128 on.
    glyphs: Vec<Glyph>,
}

impl Candidate {
    pub(super) fn glyph(&self, byte: u8) -> Glyph {
        let high = usize::from(byte).checked_sub(0x80);
        high.map_or_else(|| char::from(byte).into(), |high| self.glyphs[high])
    }
}

/// The number of [`CANDIDATES`].
pub(super) const CANDIDATE_COUNT: usize = COMMON.len();

const COMMON: [(&str, f32); 12] = [
    ("windows-1252", 0.0),
    ("windows-1251", 0.0),
    ("koi8-r", 1.0),
    ("cp866", 1.0),
    ("windows-1250", 1.0),
    ("cp850", 1.0),
    ("koi8-u", 1.2),
    ("cp437", 1.2),
    ("windows-1254", 1.5),
    ("windows-1257", 1.5),
    ("iso-8859-5", 2.0),
    ("mac-cyrillic", 3.0),
];

pub(super) static CANDIDATES: LazyLock<Vec<Candidate>> = LazyLock::new(|| {
    let candidate = |(name, cost): (&str, f32)| {
        let encoding = Encoding::all().find(|encoding| encoding.name() == name)?;
        let glyphs = encoding.letters()?.iter().map(|&letter| letter.into()).collect();
        Some(Candidate { encoding, cost, glyphs })
    };
    COMMON.into_iter().filter_map(candidate).collect()
});
