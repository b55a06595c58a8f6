// The wire, generated from the server's types by tools/protocol_types.py. Do not edit.

/** The first frame of a connection: identifies the client and the events that it has. */
export interface Hello {
  type: 'hello';
  token?: string | null;
  guest?: string | null;
  watch?: string | null;
  recover?: string | null;
  since?: number | null;
  previews?: boolean;
}

/** Take a free seat while the match waits. */
export interface Sit {
  type: 'sit';
  name: string;
  seat?: number | null;
  colours?: ('black' | 'blue' | 'green' | 'red' | 'white' | 'yellow')[] | null;
  entropy?: string;
  id: string;
  version: number;
}

/** The host seats a bot while the match waits. */
export interface AddBot {
  type: 'add_bot';
  bot: string;
  seat?: number | null;
  name?: string | null;
  id: string;
  version: number;
}

/** Free a seat while the match waits: one's own, or any seat as the host. */
export interface Free {
  type: 'free';
  seat: number;
  id: string;
  version: number;
}

/** The host changes the number of seats while the match waits: the last free ones go, or new ones come. */
export interface Resize {
  type: 'resize';
  players: number;
  id: string;
  version: number;
}

/** The host starts the match. All seats must be taken. */
export interface Start {
  type: 'start';
  id: string;
  version: number;
}

/** Play one of the legal actions. */
export interface Act {
  type: 'act';
  action: string;
  seat?: number | null;
  dice?: string[];
  id: string;
  version: number;
}

/**
 * Undo the last decision at a practice table, or the last decision or dice at one with real dice. If all other seats
 * are bots, also after rolls and turns of bots; else only if no dice were rolled since. With real dice, every player
 * may undo what another one entered, also the last entry of a finished match until the next match is open.
 */
export interface Undo {
  type: 'undo';
  id: string;
  version: number;
}

/** Let bots act without waiting until a person is to act, if all other seats are bots. */
export interface Hurry {
  type: 'hurry';
  id: string;
  version: number;
}

/** Resign. */
export interface Resign {
  type: 'resign';
  seat?: number | null;
  id: string;
  version: number;
}

/** Take a seat back from the bot that stands in. */
export interface TakeBack {
  type: 'take_back';
  seat?: number | null;
  id: string;
  version: number;
}

/** The host changes the table settings; see `TableSettings` for what may be changed when. */
export interface Configure {
  type: 'configure';
  settings: WantedSettings;
  id: string;
  version: number;
}

/** Table settings in a request: unknown fields are refused. */
export interface WantedSettings {
  practice?: boolean;
  dice?: 'fair' | 'real';
  starts?: 'first' | 'loser' | 'random';
  clock?: number;
  grace?: number | null;
  pace?: number;
  stand_in?: string;
  watch?: boolean;
}

/** Set up a position, at a practice table. */
export interface SetUp {
  type: 'set_up';
  position: string;
  id: string;
  version: number;
}

/** Ask for the best action, at a practice table. */
export interface Hint {
  type: 'hint';
  id: string;
  version: number;
}

/** Open the next match at the same table, once this one is over. */
export interface Rematch {
  type: 'rematch';
  id: string;
  version: number;
}

/** Ask for a code that moves one's seats to another device. */
export interface Recover {
  type: 'recover';
  id: string;
  version: number;
}

/** Check that the connection works. */
export interface Ping {
  type: 'ping';
  id: string;
  version: number;
}

/** The answer to `hello`. */
export interface Welcome {
  type: 'welcome';
  match: string;
  role: 'guest' | 'host' | 'player' | 'watcher';
  mine: number[];
  version: number;
  time: number;
  token: string | null;
  watch: string | null;
  next_token: string | null;
}

/** The client's own data changed: its seats, role or keys. */
export interface You {
  type: 'you';
  role: 'guest' | 'host' | 'player' | 'watcher';
  mine: number[];
  watch: string | null;
  next_token: string | null;
}

/** The whole state at a version. It follows `welcome` unless the missed events are sent. */
export interface Snapshot {
  type: 'snapshot';
  version: number;
  game: string;
  options: Record<string, boolean | number | string>;
  settings: TableSettings;
  commitment: string;
  entropy: string[];
  now: Now;
  turn: Fact[];
  plies: number;
}

/**
 * The settings of a table. The host may change them before the match starts. After the start, `pace` and `watch` can
 * be changed; the others only if all people play on the host's device. `practice` and `dice` are fixed when the match
 * is opened.
 */
export interface TableSettings {
  practice: boolean;
  dice: 'fair' | 'real';
  starts: 'first' | 'loser' | 'random';
  clock: number;
  grace: number | null;
  pace: number;
  stand_in: string;
  watch: boolean;
}

/** The current state of the match. */
export interface Now {
  status: 'over' | 'playing' | 'waiting';
  seats: SeatView[] | null;
  to_act: number | null;
  legal: string[];
  undo: number[] | null;
  to_enter: string[][] | null;
  deadline: number | null;
  position: unknown;
  text: string | null;
  winner: number | null;
  ruling: string | null;
  secret: string | null;
  next: string | null;
}

/** The public state of a seat. */
export interface SeatView {
  name: string | null;
  bot: string | null;
  owner: 'bot' | 'nobody' | 'person';
  colours: string[];
  here: boolean;
  resigned: boolean;
  stand_in_at: number | null;
}

/** An event was stored. */
export interface EventFrame {
  type: 'event';
  version: number;
  time: number;
  event:
    | Created
    | Sat
    | BotSat
    | EventsFreed
    | Resized
    | Started
    | Event
    | Configured
    | PositionSet
    | Continued
    | EventsMoved;
  now: Now;
  steps: StepView[];
}

/** The match was opened, with a commitment to its dice. */
export interface Created {
  kind: 'created';
  match: string;
  game: string;
  options: Record<string, boolean | number | string>;
  settings: TableSettings;
  commitment: string;
  start: string | null;
  previous: string | null;
  rules_version: number;
}

/** A person took a seat. */
export interface Sat {
  kind: 'sat';
  seat: number;
  name: string;
  colours: string[];
  entropy: string;
}

/** A bot was seated. */
export interface BotSat {
  kind: 'bot_sat';
  seat: number;
  name: string;
  bot: string;
  colours: string[];
}

/** A seat became free. */
export interface EventsFreed {
  kind: 'freed';
  seat: number;
}

/** The number of seats changed. The seats that stay are renumbered, and new free seats follow them. */
export interface Resized {
  kind: 'resized';
  options: Record<string, boolean | number | string>;
  seats: number[];
  colours: string[][];
}

/** The match started. Seats are renumbered so that seat 0 starts. */
export interface Started {
  kind: 'started';
  first: number;
}

/** An action of a seat, with the rolls that follow it. Replaying the events restores a play. */
export interface Event {
  kind: 'acted';
  seat: number;
  action: string;
  dice: string[];
}

/** The host changed the table settings. */
export interface Configured {
  kind: 'configured';
  settings: TableSettings;
}

/** A position was set up, at a practice table. */
export interface PositionSet {
  kind: 'position_set';
  position: string;
}

/** The next match at this table is open. */
export interface Continued {
  kind: 'continued';
  match: string;
}

/** A player moved to another device. */
export interface EventsMoved {
  kind: 'moved';
  seats: number[];
}

/** One decision or roll, its facts, and the position after it. */
export interface StepView {
  action: string;
  facts: Fact[];
  position: unknown;
}

/** The effects of each legal decision, for the client whose seat is to act. */
export interface Previews {
  type: 'previews';
  version: number;
  seat: number;
  choices: Record<string, Preview>;
  sequences: Sequences | null;
}

/** The effects of a legal decision. */
export interface Preview {
  facts: Fact[];
  rolls: Record<string, Fact[]>;
}

/** Series of decisions without a roll between them, each one choice for the player. */
export interface Sequences {
  decisions: string[];
  orders: number[][];
  complete: boolean;
  ends: number[];
  after: Record<string, Preview>[];
}

/** The command was accepted. Its event, if any, was broadcast before. */
export interface Accepted {
  type: 'accepted';
  id: string;
  version: number;
  token: string | null;
  code: string | null;
  action: string | null;
  advice: Evaluation | null;
  match: string | null;
}

/** The evaluation of a position: the win probability of the seat whose turn it is. */
export interface Evaluation {
  source: 'estimated' | 'exact';
  win: number;
  shares: number[];
  wins: Record<string, number>;
}

/** A refusal as a frame. */
export interface RefusalFrame {
  type: 'refused';
  code: Ending;
  message: string;
  ruling: string;
  id: string | null;
  version: number;
}

/** The owner of a seat connected or disconnected, or the time of the stand-in changed. */
export interface PresenceChanged {
  type: 'presence';
  seat: number;
  here: boolean;
  stand_in_at: number | null;
}

/** The time of a seat is running out. */
export interface ClockWarning {
  type: 'clock';
  seat: number;
  deadline: number;
}

/** The server closes the connection. */
export interface Bye {
  type: 'bye';
  code: Ending;
}

/**
 * A Rapido position. Equal positions are equal and hash alike, however they arose. A turn's score (R7) is taken before
 * its first roll, so it shows in the position that waits for that roll. The two pairs of a seat in a game for two are
 * alike (R19): they have no names.
 */
export interface RapidoState {
  turn: number;
  phase: RapidoPhase;
  value: number;
  steps: number[];
  tower: Pair[];
}

/** What the position waits for (R6, R8). */
export type RapidoPhase = 'decide' | 'first' | 'later' | 'over';

/** A pair of dice on the tower (R4). */
export interface Pair {
  field: number;
  seat: number;
  value: number;
}

/** A Chain position. Equal positions are equal and hash alike, however they arose. */
export interface ChainState {
  turn: number;
  phase: ChainPhase;
  hands: number[];
  pool: number;
  discs: number[][];
  piles: [number, number[]][];
  chain: Links;
  loose: number[];
}

/** What the position waits for (C8-C13). */
export type ChainPhase = 'build' | 'decide' | 'keep' | 'lengthen' | 'over' | 'roll';

/** The chain of the turn, without the order of its links: only its end matters for what follows. */
export interface Links {
  numbers: number[];
  last: number;
  heading: Heading;
}

/** A chain's direction (C11). */
export type Heading = 'down' | 'open' | 'up';

/** The seat's pairs lay on fields when its turn started: the piece climbed, the pairs came back. */
export type Scored = {
  seat: number;
  fields: number[];
  climbed: number;
  step: number;
};

/** The seat's dice fell. */
export type RapidoRolled = {
  seat: number;
  dice: string;
  value: number;
  invalid: boolean;
};

/** The roll was a double, and the piece climbed immediately. */
export type Doubled = {
  seat: number;
  climbed: number;
  step: number;
};

/** A later roll showed an X: the turn ended, and the piece went down. */
export type Fell = {
  seat: number;
  crosses: number;
  fallen: number;
  step: number;
};

/** The seat took its dice up for another roll. */
export type RolledAgain = {
  seat: number;
};

/** The seat put its pair on a field. */
export type Placed = {
  seat: number;
  field: number;
  value: number;
};

/** Placing threw an opponent's pair out. */
export type ThrewOut = {
  seat: number;
  victim: number;
  field: number;
  value: number;
};

/** The seat's piece reached the finish. */
export type RapidoWon = {
  seat: number;
};

/** The seat put dice of its hand back into the pool. */
export type Kept = {
  seat: number;
  dice: number;
  discarded: number;
};

/** One die of the seat's hand fell. */
export type ChainRolled = {
  seat: number;
  number: number;
  coloured: boolean;
};

/** The seat linked one of its loose dice. */
export type Linked = {
  seat: number;
  number: number;
};

/** The seat named a direction and took a die from the pool. */
export type Lengthened = {
  seat: number;
  heading: string;
};

/** The new die fitted and is the last link. */
export type Added = {
  seat: number;
  number: number;
  links: number;
};

/** The new die did not fit. */
export type Missed = {
  seat: number;
  number: number;
};

/** The rolled dice cannot all be linked. */
export type Unlinkable = {
  seat: number;
  numbers: number[];
};

/** The turn ended without a move, and half of the dice went back into the pool. */
export type Failed = {
  seat: number;
  used: number;
  lost: number;
};

/** The seat stopped, and one of its discs walked as many spaces as the chain has links. */
export type ChainMoved = {
  seat: number;
  start: number;
  end: number;
  links: number;
};

/** The disc went past the centre and walked back the surplus. */
export type WalkedBack = {
  seat: number;
  surplus: number;
  space: number;
};

/** The disc ended on an arrow and followed it. */
export type TookArrow = {
  seat: number;
  start: number;
  end: number;
};

/** The disc came to lie on another disc, which cannot move while it does. */
export type Covered = {
  seat: number;
  victim: number;
  space: number;
};

/** The disc that lay on this seat's disc left, so it may move again. */
export type ChainFreed = {
  seat: number;
  space: number;
};

/** The disc ended its move at the centre and stays there. */
export type Arrived = {
  seat: number;
};

/** The seat's turn started, and none of its discs can move. */
export type ChainWon = {
  seat: number;
};

/** The games with their options and bots. */
export interface Games {
  games: GameInfo[];
  bots: string[];
}

/** A game that can be played here. */
export interface GameInfo {
  name: string;
  rules_version: number;
  options: GameOption[];
  bots: string[];
}

/** One option of a game, with all that a front end needs to offer it. */
export interface GameOption {
  name: string;
  default: boolean | number | string;
  ruling: string;
  low: number;
  high: number;
  choices: string[];
  free_text: boolean;
}

/** A seal: the id of a match that is not open yet, and the commitment to its dice. */
export interface Sealed {
  match: string;
  commitment: string;
}

/** A request to open a match. */
export interface Open {
  game: string;
  match?: string | null;
  options?: Record<string, boolean | number | string>;
  settings?: WantedSettings;
  people?: Person[];
  bots?: string[];
  start?: boolean;
  start_from?: string | null;
}

/** A person who plays on the opener's device. */
export interface Person {
  name: string;
  seat?: number | null;
  colours?: ('black' | 'blue' | 'green' | 'red' | 'white' | 'yellow')[] | null;
  entropy?: string;
}

/** A new match. `match` is the id in the link to share; `token` is the host's secret. */
export interface Opened {
  match: string;
  token: string;
  watch: string;
}

/** The current state of a match over HTTP. */
export interface Standing {
  status: 'over' | 'playing' | 'waiting';
  seats: SeatView[] | null;
  to_act: number | null;
  legal: string[];
  undo: number[] | null;
  to_enter: string[][] | null;
  deadline: number | null;
  position: unknown;
  text: string | null;
  winner: number | null;
  ruling: string | null;
  secret: string | null;
  next: string | null;
  options: Record<string, boolean | number | string>;
  mine: number[];
}

/** A request about a position. */
export interface PositionRequest {
  game: string;
  options?: Record<string, boolean | number | string>;
  position?: string | null;
}

/** A position with its legal decisions, previews and evaluation. */
export interface PositionSeen {
  game: string;
  options: Record<string, boolean | number | string>;
  text: string;
  position: unknown;
  turn: number;
  legal: string[];
  choices: Record<string, Preview>;
  over: boolean;
  advice: Evaluation | null;
}

/** The analysis of a match. */
export interface AnalysisView {
  source: 'estimated' | 'exact';
  curve: number[][];
  decisions: DecisionLine[];
  players: PlayerLine[];
}

/** A choice between at least two actions. */
export interface DecisionLine {
  ply: number;
  seat: number;
  played: string;
  best: string;
  wins: Record<string, number>;
  lost: number;
  size: string;
  reason: string;
  facts: Fact[];
}

/** The accuracy and luck of one seat. */
export interface PlayerLine {
  decisions: number;
  mistakes: Record<string, number>;
  accuracy: number | null;
  lost: number;
  luck: number;
  result: number;
  adjusted: number;
}

/** The analysis is not ready: repeat the request. */
export interface Waiting {
  ahead: number;
}

/** All rolls at a position. */
export interface RollsView {
  source: 'estimated' | 'exact';
  turn: number;
  win: number;
  falls: FallLine[];
}

/** The rolls that lead to one position, and the best decisions there. */
export interface FallLine {
  dice: string[];
  chance: number;
  plan: string[];
  wins: Record<string, number>;
  win: number;
}

/** The full rules of a game. */
export interface RulesView {
  game: string;
  rulings: RulingView[];
  components: ComponentView[];
  sections: SectionView[];
}

/** Where a ruling comes from. */
export interface RulingView {
  ruling: string;
  origins: ('open' | 'picture' | 'printed')[];
  reason: string | null;
}

/** Things of one kind that a table needs. */
export interface ComponentView {
  text: string;
  counts: Record<string, number>;
}

/** Paragraphs under a heading. */
export interface SectionView {
  title: string;
  paragraphs: ParagraphView[];
}

/** One to four sentences. */
export interface ParagraphView {
  text: string;
  rulings: string[];
  example: ExampleView | null;
}

/** A position beside a paragraph. */
export interface ExampleView {
  caption: string;
  options: Record<string, boolean | number | string>;
  seats: SeatName[];
  position: unknown;
  turn: Fact[];
  legal: string[];
  tries: TryView[];
}

/** A player of an example. */
export interface SeatName {
  name: string;
  colours: string[];
}

/** A possible continuation of an example. */
export interface TryView {
  action: string;
  steps: StepView[];
}

/** A guided first game. */
export interface LessonView {
  game: string;
  learner: number;
  scenes: LessonScene[];
}

/** A part of the lesson with its own starting position. */
export interface LessonScene {
  title: string;
  options: Record<string, boolean | number | string>;
  seats: SeatName[];
  position: unknown;
  turn: Fact[];
  steps: LessonStep[];
}

/** Events to watch, a text, and usually an action of the learner. */
export interface LessonStep {
  watch: StepView[];
  say: string;
  ask: string[];
  replies: Record<string, string>;
  legal: string[];
  previews: Record<string, Preview>;
  answers: Record<string, StepView[]>;
}

/** A record with all its positions and facts, so that a client needs no rules. */
export interface ReplayData {
  game: string;
  options: Record<string, boolean | number | string>;
  date: string;
  dice: string;
  seats: Seat[];
  winner: number | null;
  ruling: string | null;
  result: string;
  proof: Proof | null;
  verdict: string;
  start: unknown;
  steps: StepView[];
  texts: string[];
  rolls: number[];
  sides: number[];
  remarks: Remark[];
  judged: boolean;
  text: string;
}

/** A seat of a match. */
export interface Seat {
  name: string;
  bot: string;
  colours: string[];
}

/** The data to verify fair dice; see `dice.FairDice`. */
export interface Proof {
  match: string;
  commitment: string;
  entropy: string[];
  secret: string;
}

/** An action outside the game, before the ply with this number. */
export interface Remark {
  ply: number;
  seat: number;
  action: string;
}

/** All advice for a game and a number of players. */
export interface Strategy {
  players: number;
  source: 'exact' | 'games' | 'values';
  commands: string[];
  rivals: string;
  rules: Rule[];
  qualities: Quality[];
  charts: Chart[];
  game: string;
}

/** One heuristic. Rules are sorted, the most helpful first. */
export interface Rule {
  name: string;
  args: Record<string, number>;
  least: Record<string, number>;
  loss: number;
}

/** The measured strength of a player. */
export interface Quality {
  who: string;
  loss: number;
  error: number;
  wins: number;
  wins_error: number;
  games: number;
}

/** When to stop, as a table; its title is `strategy.GAME.chart.NAME`. */
export interface Chart {
  name: string;
  kind: 'lengthen' | 'value';
  rows: string[];
  columns: string[];
  cells: (number | null)[][];
  right: number;
}

export type AnyCommand =
  | Sit
  | AddBot
  | Free
  | Resize
  | Start
  | Act
  | Undo
  | Hurry
  | Resign
  | TakeBack
  | Configure
  | SetUp
  | Hint
  | Rematch
  | Recover
  | Ping;

export type RefusalCode =
  | 'bad_dice'
  | 'bad_method'
  | 'bad_name'
  | 'bad_options'
  | 'bad_record'
  | 'bot_plays'
  | 'busy'
  | 'closing'
  | 'colour_taken'
  | 'continued'
  | 'fixed'
  | 'forbidden'
  | 'future_version'
  | 'game_error'
  | 'http'
  | 'illegal_action'
  | 'internal'
  | 'invalid_text'
  | 'late'
  | 'later_version'
  | 'malformed'
  | 'no_evaluator'
  | 'no_undo'
  | 'not_found'
  | 'not_over'
  | 'not_practice'
  | 'not_replaced'
  | 'not_rolling'
  | 'not_sealed'
  | 'not_started'
  | 'not_your_turn'
  | 'over'
  | 'resigned'
  | 'running'
  | 'seat_taken'
  | 'seats_free'
  | 'stale_version'
  | 'started'
  | 'store_unavailable'
  | 'table_full'
  | 'too_fast'
  | 'too_large'
  | 'too_long'
  | 'too_many'
  | 'unknown_bot'
  | 'unknown_host'
  | 'unknown_match'
  | 'unknown_seat';

export type Ending = RefusalCode | 'moved' | 'replaced' | 'restart' | 'too_slow' | 'watching_off';

export type AnyFrame =
  | Welcome
  | You
  | Snapshot
  | EventFrame
  | Previews
  | Accepted
  | RefusalFrame
  | PresenceChanged
  | ClockWarning
  | Bye;

/** A fact of any game: what happened, as data. */
export type Fact = {
  kind: string;
  ruling: string;
  /** The seat that did it, or to which it happened. */
  seat: number;
  [field: string]: unknown;
};

type Head<K extends string> = { kind: K; ruling: string };

export type RapidoFact =
  | (Head<'scored'> & Scored)
  | (Head<'rolled'> & RapidoRolled)
  | (Head<'doubled'> & Doubled)
  | (Head<'fell'> & Fell)
  | (Head<'rolled_again'> & RolledAgain)
  | (Head<'placed'> & Placed)
  | (Head<'threw_out'> & ThrewOut)
  | (Head<'won'> & RapidoWon);

export type ChainFact =
  | (Head<'kept'> & Kept)
  | (Head<'rolled'> & ChainRolled)
  | (Head<'linked'> & Linked)
  | (Head<'lengthened'> & Lengthened)
  | (Head<'added'> & Added)
  | (Head<'missed'> & Missed)
  | (Head<'unlinkable'> & Unlinkable)
  | (Head<'failed'> & Failed)
  | (Head<'moved'> & ChainMoved)
  | (Head<'walked_back'> & WalkedBack)
  | (Head<'took_arrow'> & TookArrow)
  | (Head<'covered'> & Covered)
  | (Head<'freed'> & ChainFreed)
  | (Head<'arrived'> & Arrived)
  | (Head<'won'> & ChainWon);
