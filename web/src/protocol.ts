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
  id: string;
  version: number;
}

/** Undo the last decision at a practice table, if no dice were rolled since. */
export interface Undo {
  type: 'undo';
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

/** The host changes the table settings; see ``TableSettings`` for what may be changed when. */
export interface Configure {
  type: 'configure';
  settings: WantedSettings;
  id: string;
  version: number;
}

/** Table settings in a request: unknown fields are refused. */
export interface WantedSettings {
  practice?: boolean;
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

/** The answer to ``hello``. */
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

/** The whole state at a version. It follows ``welcome`` unless the missed events are sent. */
export interface Snapshot {
  type: 'snapshot';
  version: number;
  game: string;
  options: Record<string, boolean | number | string>;
  settings: TableSettings;
  commitment: string;
  entropy: string[];
  now: Now;
  turn: Record<string, unknown>[];
  plies: number;
}

/** The settings of a table. The host may change them before the match starts. After the start, ``pace`` and ``watch`` can be changed; the others only if all people play on the host's device. ``practice`` is fixed when the match is opened. */
export interface TableSettings {
  practice: boolean;
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
}

/** An event was stored. */
export interface EventFrame {
  type: 'event';
  version: number;
  time: number;
  event: Created | Sat | BotSat | MessagesFreed | Started | Event | Configured | PositionSet | Continued | MessagesMoved;
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
export interface MessagesFreed {
  kind: 'freed';
  seat: number;
}

/** The match started. Seats are renumbered so that seat 0 starts. */
export interface Started {
  kind: 'started';
  first: number;
}

/** An action of a seat, with the rolls that follow it. Replaying the events restores a table. */
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
export interface MessagesMoved {
  kind: 'moved';
  seats: number[];
}

/** One decision or roll, its facts, and the position after it. */
export interface StepView {
  action: string;
  facts: Record<string, unknown>[];
  position: unknown;
}

/** The effects of each legal decision, for the client whose seat is to act. */
export interface Previews {
  type: 'previews';
  version: number;
  seat: number;
  choices: Record<string, Preview>;
}

/** The effects of a legal decision. */
export interface Preview {
  facts: Record<string, unknown>[];
  rolls: Record<string, Record<string, unknown>[]>;
}

/** The command was accepted. Its event, if any, was broadcast before. */
export interface Accepted {
  type: 'accepted';
  id: string;
  version: number;
  token: string | null;
  code: string | null;
  action: string | null;
  advice: Advice | null;
  match: string | null;
}

/** The evaluation of a position: the win probability of the seat whose turn it is. */
export interface Advice {
  source: 'estimated' | 'exact';
  win: number;
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

/** The owner of a seat connected or disconnected. */
export interface Presence {
  type: 'presence';
  seat: number;
  here: boolean;
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

/** A Rapido position. Equal positions are equal and hash alike, however they arose. A turn's score (R7) is taken before its first roll, so it shows in the position that waits for that roll. The two pairs of a seat in a game for two are alike (R19): they have no names. */
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

/** The chain of the turn, as far as it decides the future: not in the order it was built. */
export interface Links {
  numbers: number[];
  last: number;
  heading: Heading;
}

/** A chain's direction (C11). */
export type Heading = 'down' | 'open' | 'up';

/** The seat's pairs lay on fields when its turn started: the piece climbed, the pairs came back. */
export interface Scored {
  seat: number;
  fields: number[];
  climbed: number;
  step: number;
}

/** The seat's dice fell. */
export interface RapidoRolled {
  seat: number;
  dice: string;
  value: number;
}

/** The roll was a double, and the piece climbed immediately. */
export interface Doubled {
  seat: number;
  climbed: number;
  step: number;
}

/** A later roll showed an X: the turn ended, and the piece went down. */
export interface Fell {
  seat: number;
  crosses: number;
  fallen: number;
  step: number;
}

/** The seat took its dice up for another roll. */
export interface RolledAgain {
  seat: number;
}

/** The seat put its pair on a field. */
export interface Placed {
  seat: number;
  field: number;
  value: number;
}

/** Placing threw an opponent's pair out. */
export interface ThrewOut {
  seat: number;
  victim: number;
  field: number;
  value: number;
}

/** The seat's piece reached the finish. */
export interface RapidoWon {
  seat: number;
}

/** The seat put dice of its hand back into the pool. */
export interface Kept {
  seat: number;
  dice: number;
  discarded: number;
}

/** One die of the seat's hand fell. */
export interface ChainRolled {
  seat: number;
  number: number;
  coloured: boolean;
}

/** The seat linked one of its loose dice. */
export interface Linked {
  seat: number;
  number: number;
}

/** The seat named a direction and took a die from the pool. */
export interface Lengthened {
  seat: number;
  heading: string;
}

/** The new die fitted and is the last link. */
export interface Added {
  seat: number;
  number: number;
  links: number;
}

/** The new die did not fit. */
export interface Missed {
  seat: number;
  number: number;
}

/** The rolled dice cannot all be linked. */
export interface Unlinkable {
  seat: number;
  numbers: number[];
}

/** The turn ended without a move, and half of the dice went back into the pool. */
export interface Failed {
  seat: number;
  used: number;
  lost: number;
}

/** The seat stopped, and one of its discs walked as many spaces as the chain has links. */
export interface ChainMoved {
  seat: number;
  start: number;
  end: number;
  links: number;
}

/** The disc went past the centre and walked back the surplus. */
export interface WalkedBack {
  seat: number;
  surplus: number;
  space: number;
}

/** The disc ended on an arrow and followed it. */
export interface TookArrow {
  seat: number;
  start: number;
  end: number;
}

/** The disc came to lie on another disc, which cannot move while it does. */
export interface Covered {
  seat: number;
  victim: number;
  space: number;
}

/** The disc that lay on this seat's disc left, so it may move again. */
export interface ChainFreed {
  seat: number;
  space: number;
}

/** The disc ended its move at the centre and stays there. */
export interface Arrived {
  seat: number;
}

/** The seat's turn started, and none of its discs can move. */
export interface ChainWon {
  seat: number;
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

/** A new match. ``match`` is the id in the link to share; ``token`` is the host's secret. */
export interface Opened {
  match: string;
  token: string;
  watch: string;
}

/** A request about a position. */
export interface Position {
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
  advice: Advice | null;
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
  facts: Record<string, unknown>[];
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
  sections: SectionView[];
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
  turn: Record<string, unknown>[];
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
  turn: Record<string, unknown>[];
  steps: LessonStep[];
}

/** Events to watch, a text, and usually an action of the learner. */
export interface LessonStep {
  watch: StepView[];
  say: string;
  ask: string[];
  hint: string | null;
  legal: string[];
  previews: Record<string, Preview>;
  answers: Record<string, StepView[]>;
}

export type AnyCommand = Sit | AddBot | Free | Start | Act | Undo | Resign | TakeBack | Configure | SetUp | Hint | Rematch | Recover | Ping;

export type RefusalCode = 'bad_method' | 'bad_name' | 'bad_options' | 'bad_record' | 'bot_plays' | 'busy' | 'closing' | 'colour_taken' | 'fixed' | 'forbidden' | 'future_version' | 'game_error' | 'http' | 'illegal_action' | 'internal' | 'invalid_text' | 'late' | 'later_version' | 'malformed' | 'no_evaluator' | 'no_undo' | 'not_found' | 'not_over' | 'not_practice' | 'not_replaced' | 'not_rolling' | 'not_sealed' | 'not_started' | 'not_your_turn' | 'over' | 'resigned' | 'running' | 'seat_taken' | 'seats_free' | 'stale_version' | 'started' | 'store_unavailable' | 'table_full' | 'too_fast' | 'too_large' | 'too_long' | 'too_many' | 'unknown_bot' | 'unknown_host' | 'unknown_match' | 'unknown_seat';

export type Ending = RefusalCode | 'moved' | 'replaced' | 'restart' | 'too_slow' | 'watching_off';

export type AnyFrame = Welcome | You | Snapshot | EventFrame | Previews | Accepted | RefusalFrame | Presence | ClockWarning | Bye;

export type RapidoFact =
  | ({ kind: 'scored'; ruling: string } & Scored)
  | ({ kind: 'rolled'; ruling: string } & RapidoRolled)
  | ({ kind: 'doubled'; ruling: string } & Doubled)
  | ({ kind: 'fell'; ruling: string } & Fell)
  | ({ kind: 'rolled_again'; ruling: string } & RolledAgain)
  | ({ kind: 'placed'; ruling: string } & Placed)
  | ({ kind: 'threw_out'; ruling: string } & ThrewOut)
  | ({ kind: 'won'; ruling: string } & RapidoWon);

export type ChainFact =
  | ({ kind: 'kept'; ruling: string } & Kept)
  | ({ kind: 'rolled'; ruling: string } & ChainRolled)
  | ({ kind: 'linked'; ruling: string } & Linked)
  | ({ kind: 'lengthened'; ruling: string } & Lengthened)
  | ({ kind: 'added'; ruling: string } & Added)
  | ({ kind: 'missed'; ruling: string } & Missed)
  | ({ kind: 'unlinkable'; ruling: string } & Unlinkable)
  | ({ kind: 'failed'; ruling: string } & Failed)
  | ({ kind: 'moved'; ruling: string } & ChainMoved)
  | ({ kind: 'walked_back'; ruling: string } & WalkedBack)
  | ({ kind: 'took_arrow'; ruling: string } & TookArrow)
  | ({ kind: 'covered'; ruling: string } & Covered)
  | ({ kind: 'freed'; ruling: string } & ChainFreed)
  | ({ kind: 'arrived'; ruling: string } & Arrived)
  | ({ kind: 'won'; ruling: string } & ChainWon);
