/** One match as a screen shows it: frames in, reactive fields out. No rules: what may be done is what was sent. */
import type { Script } from './cues';
import type { Preview } from './facts';
import { pinDigits, pinSeal } from './pins';
import type {
  Accepted,
  Evaluation,
  AnyFrame,
  EventFrame,
  Now,
  SeatView,
  Sequences,
  Snapshot,
  TableSettings,
} from '../protocol';
import { keepSeat, seatOf } from './tokens';
import { settings } from '../settings/settings.svelte';
import { MatchSocket, Refused, socketUrl, type Link, type SocketOptions, type Wanted } from './socket';
import { play } from '../ui/sound';
import { ticking } from '../ui/ticking.svelte';
import { vibrate } from '../ui/vibrate';
import { Stage, type NewLine } from './stage.svelte';
import { Taps, type TapTarget } from './taps';

export type Role = 'host' | 'player' | 'watcher' | 'guest';

/** What is best at a version of a match; `advice` is null where no coach knows the game. */
export interface Advised {
  version: number;
  action: string;
  advice: Evaluation | null;
}

/** Whom this device waits for. */
export interface Waiting {
  seat: number;
  name: string;
  /** `away` is not connected. */
  kind: 'thinking' | 'away';
  /** Milliseconds until a bot plays for them; null if none will. */
  left: number | null;
}

export interface MatchOptions {
  /** Loads a game's script by its name. */
  load(game: string): Promise<Script>;
  /** From the fragment of the address. */
  watch?: string;
  recover?: string;
  /** For tests. */
  socket?: (options: SocketOptions) => Pick<MatchSocket, 'request' | 'hurry' | 'reconnect' | 'close'>;
  taps?: TapTarget;
}

export class Match {
  /** How the connection is; `closed` is for good, and `ending` says why. */
  link = $state<Link>('connecting');
  ending = $state('');
  /** Whether it was open before: then it is coming back, not just coming. */
  seen = $state(false);

  role = $state<Role>('guest');
  mine = $state.raw<number[]>([]);
  /** The key of the watchers' link, for the host. */
  watchKey = $state('');
  /** Our token at the next match of this table, once that is open. */
  nextToken = $state('');

  game = $state('');
  options = $state.raw<Snapshot['options']>({});
  settings = $state.raw<TableSettings | null>(null);
  commitment = $state('');
  entropy = $state.raw<string[]>([]);
  version = $state(0);
  now = $state.raw<Now | null>(null);
  seats = $state.raw<SeatView[]>([]);
  previews = $state.raw<Record<string, Preview>>({});
  /** Series of decisions that are one choice, if the game offers some now. */
  sequences = $state.raw<Sequences | null>(null);
  /** What is shown, which may lag behind `now` while things move. */
  stage = $state.raw<Stage | null>(null);
  /** The last hint. */
  advised = $state.raw<Advised | null>(null);

  /** How many requests wait for their answers, and how many of these act or take back. */
  pending = $state(0);
  private acting = $state(0);
  /** Why the last request was refused; a new request clears it. */
  refusal = $state('');
  /** The server's clock less ours, in milliseconds. */
  private skew = 0;
  /** The version that made the decision that is to be made now. */
  private decision = 0;
  /** The decision that a player can see, and since when: a frame was painted with it. */
  private painted: { decision: number | null; at: number } = { decision: null, at: 0 };
  private readonly unwatch: () => void;
  /** The version for which something was done automatically. */
  private automatic = -1;
  /** The bots were asked to hurry, until somebody at this device acts. */
  private hurried = false;
  /** Events are missing: the next connection asks for a snapshot. */
  private gap = false;
  private readonly taps: Taps | null;
  /** The script of the game, and the frames that wait for it. */
  private script: Script | null = null;
  private waiting: AnyFrame[] | null = null;
  private watch: string;
  private recover: string;
  private readonly socket: ReturnType<NonNullable<MatchOptions['socket']>>;

  constructor(
    readonly id: string,
    private readonly on: MatchOptions,
  ) {
    this.watch = on.watch ?? '';
    this.recover = on.recover ?? '';
    const make = on.socket ?? ((options: SocketOptions) => new MatchSocket(options));
    this.socket = make({
      url: socketUrl(id),
      hello: () => this.hello(),
      version: () => this.version,
      frame: (frame) => this.receive(frame),
      link: (link, code) => {
        this.link = link;
        this.ending = code;
        if (link === 'open') this.seen = true;
      },
    });
    const target = on.taps ?? (typeof window === 'undefined' ? null : window);
    this.taps = target && new Taps(target, (at) => (at < this.painted.at ? null : this.painted.decision));
    this.unwatch = $effect.root(() => {
      $effect(() => this.paint(this.legal.length || this.entering ? this.decision : null));
    });
  }

  // What a screen asks.

  get status(): 'loading' | Now['status'] {
    return this.now?.status ?? 'loading';
  }

  /** The seat to act, once everything before has been shown. */
  get toAct(): number | null {
    return this.stage?.busy ? null : (this.now?.to_act ?? null);
  }

  /** Whether somebody at this device is to act. */
  get myTurn(): boolean {
    return this.toAct !== null && this.isPlayedHere(this.toAct);
  }

  /** What may be done now, at this device; nothing while an action waits for its answer. */
  get legal(): string[] {
    return this.myTurn && !this.acting && !this.now?.to_enter ? (this.now?.legal ?? []) : [];
  }

  /** Whether people roll real dice and enter what they show. */
  get realDice(): boolean {
    return this.settings?.dice === 'real';
  }

  /** The rolls of real dice to enter at this device now, those of bots too: for each, what it can show. */
  get entering(): string[][] | null {
    const seat = this.toAct;
    if (seat === null || this.acting || !this.mine.length) return null;
    return this.isPlayedHere(seat) || this.seats[seat]?.bot ? (this.now?.to_enter ?? null) : null;
  }

  /** Whether the last decision may be taken back; with real dice the last entry, also of a finished match. */
  get undoable(): boolean {
    return !this.acting && !!this.now?.undo?.some((seat) => this.mine.includes(seat));
  }

  /** Whom this device waits for, once everything before has been shown; reactive, with a clock. */
  get waitingFor(): Waiting | null {
    const seat = this.toAct;
    if (seat === null || this.isPlayedHere(seat)) return null;
    const view = this.seats[seat];
    const times = [this.now?.deadline, view?.bot ? null : view?.stand_in_at].filter((time) => time != null);
    return {
      seat,
      name: this.names[seat] ?? '–',
      kind: view?.here || view?.bot ? 'thinking' : 'away',
      left: times.length ? this.until(Math.min(...times), ticking()) : null,
    };
  }

  /** Whether everybody else at the table is a bot. */
  get alone(): boolean {
    return this.mine.length > 0 && this.seats.every((seat, i) => seat.owner === 'bot' || this.mine.includes(i));
  }

  /** Whether `skipToMyTurn` would skip what others do; not while one's own dice roll. */
  get canSkip(): boolean {
    const { stage } = this;
    if (!stage || stage.rushing || !this.mine.length || this.status !== 'playing') return false;
    if (stage.cue !== null && this.mine.includes(stage.cue.seat)) return false;
    return stage.busy || (this.alone && this.ahead().length > 0);
  }

  /** Whether this device may change the pace of the bots. */
  get canSetPace(): boolean {
    return this.role === 'host' && this.status !== 'over' && this.seats.some((seat) => seat.owner === 'bot');
  }

  /** Several people play at this device. */
  get hotSeat(): boolean {
    return this.mine.length > 1;
  }

  /** The reader's seat, which sentences address as "you"; null for watchers and where several share this device. */
  get you(): number | null {
    return this.mine.length === 1 ? (this.mine[0] ?? null) : null;
  }

  get names(): string[] {
    return this.seats.map((seat) => seat.name ?? '–');
  }

  /** The seat for which a stand-in plays and which this device may take back. */
  get stoodIn(): number | null {
    const seat = this.mine.find(
      (s) => this.seats[s]?.bot && this.seats[s]?.owner === 'person' && !this.seats[s]?.resigned,
    );
    return this.status === 'playing' ? (seat ?? null) : null;
  }

  /** Whether somebody at this device decides for a seat. */
  private isPlayedHere(seat: number): boolean {
    return this.mine.includes(seat) && !this.seats[seat]?.bot;
  }

  /** The seats that act before this device does; all of them if it never does. */
  private ahead(): number[] {
    const first = this.now?.to_act;
    if (first == null) return [];
    const order = this.seats.map((_, i) => (first + i) % this.seats.length);
    const own = order.findIndex((seat) => this.isPlayedHere(seat));
    return own < 0 ? order : order.slice(0, own);
  }

  /** Milliseconds left for the turn, at a moment of our own clock; null without a clock. */
  left(at: number): number | null {
    const deadline = this.now?.deadline;
    return deadline == null ? null : this.until(deadline, at);
  }

  /** Milliseconds until a moment of the server's clock. */
  private until(time: number, at: number): number {
    return Math.max(0, time * 1000 - this.skew - at);
  }

  // What a screen does.

  /** Make a decision. A tap or key that began before the decision was on screen does nothing. */
  act(action: string): Promise<Accepted | null> {
    if (this.taps && !this.taps.meant) return Promise.resolve(null);
    return this.ask({ type: 'act', action });
  }

  /** Enter what real dice show; as `act`. */
  enter(dice: string[]): Promise<Accepted | null> {
    if (this.taps && !this.taps.meant) return Promise.resolve(null);
    return this.ask({ type: 'act', action: 'roll', dice });
  }

  /** Act without being asked to: at most once per version, and a refusal is not shown. */
  async actOnce(action: string): Promise<Accepted | null> {
    if (this.automatic === this.version) return null;
    this.automatic = this.version;
    return this.counted({ type: 'act', action }, () => {});
  }

  /** Ask for something. A refusal is kept in `refusal`, for all to see, and null is returned. */
  ask(wanted: Wanted): Promise<Accepted | null> {
    this.refusal = '';
    if (wanted.type === 'sit' && wanted.entropy) pinDigits(this.id, [wanted.entropy]);
    return this.counted(wanted, (code) => (this.refusal = code));
  }

  /** Take the last decision back; a double tap or a held key takes back only one. */
  undo(): Promise<Accepted | null> {
    return this.taps?.repeats ? Promise.resolve(null) : this.ask({ type: 'undo' });
  }

  /**
   * The address of the next match at this table, which is opened if it is not open yet; null if it was refused.
   * Players have new tokens there, watchers the same key.
   */
  async rematch(): Promise<string | null> {
    const next = this.now?.next ?? (await this.ask({ type: 'rematch' }))?.match ?? null;
    if (next === null) return null;
    if (this.nextToken) keepSeat(next, { token: this.nextToken, game: this.game });
    return `/t/${next}${this.role === 'watcher' && this.watch ? `#watch=${this.watch}` : ''}`;
  }

  /** Change the milliseconds that bots wait before a turn. */
  async setPace(pace: number): Promise<Accepted | null> {
    return this.settings && this.ask({ type: 'configure', settings: { ...this.settings, pace } });
  }

  /** Show everything at once until this device is to act; where everybody else is a bot, they do not wait. */
  skipToMyTurn(): void {
    this.stage?.skipAll();
    this.hurryBots();
  }

  /** A hint, at a practice table. Nothing on screen waits for it, and a refusal is not shown: the turn went on. */
  async advise(): Promise<Advised | null> {
    const answer = await this.quietly({ type: 'hint' });
    if (answer && answer.action !== null)
      this.advised = { version: answer.version, action: answer.action, advice: answer.advice };
    return this.advised?.version === this.version ? this.advised : null;
  }

  hurry(): void {
    this.socket.hurry();
  }

  close(): void {
    this.stage?.reset(null, []);
    this.taps?.close();
    this.unwatch();
    this.socket.close();
  }

  /** Another decision, or none, is drawn: it counts as seen when it is on screen. */
  private paint(decision: number | null): void {
    if (decision !== null && decision === this.painted.decision) return;
    const next = { decision: null as number | null, at: 0 };
    this.painted = next;
    if (decision === null) return;
    afterPaint(() => Object.assign(next, { decision, at: performance.now() }));
  }

  /** A request that counts as pending until it is answered. */
  private async counted(wanted: Wanted, refused: (code: string) => void): Promise<Accepted | null> {
    const action = wanted.type === 'act' || wanted.type === 'undo' ? 1 : 0;
    this.pending += 1;
    this.acting += action;
    try {
      return await this.quietly(wanted, refused);
    } finally {
      this.pending -= 1;
      this.acting -= action;
    }
  }

  private async quietly(wanted: Wanted, refused?: (code: string) => void): Promise<Accepted | null> {
    try {
      return await this.socket.request(wanted);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refused?.(error.code);
      return null;
    }
  }

  /** Ask the bots not to wait, once until this device acts. */
  private hurryBots(): void {
    const seat = this.now?.to_act;
    if (this.hurried || seat == null || !this.seats[seat]?.bot || !this.alone || !this.settings?.pace) return;
    this.hurried = true;
    void this.quietly({ type: 'hurry' });
  }

  // Frames.

  private hello() {
    const token = seatOf(this.id)?.token;
    return {
      previews: true,
      ...(this.recover ? { recover: this.recover } : token ? { token } : this.watch ? { watch: this.watch } : {}),
      ...(this.now && !this.recover && !this.gap ? { since: this.version } : {}),
    };
  }

  /** Take a frame at once, or after the script of the game if that has to be loaded first. */
  private receive(frame: AnyFrame): void {
    if (this.waiting) this.waiting.push(frame);
    else if (frame.type === 'snapshot' && !this.script) void this.loadScript(frame.game, [frame]);
    else this.take(frame);
  }

  private async loadScript(game: string, frames: AnyFrame[]): Promise<void> {
    this.waiting = frames;
    try {
      this.script = await this.on.load(game);
    } catch {
      this.socket.close('not_loaded');
      return;
    }
    this.waiting = null;
    for (const frame of frames) this.take(frame);
  }

  private take(frame: AnyFrame): void {
    switch (frame.type) {
      case 'welcome':
        this.role = frame.role;
        this.mine = frame.mine;
        this.skew = frame.time * 1000 - Date.now();
        if (frame.watch) this.watchKey = frame.watch;
        if (frame.next_token) this.nextToken = frame.next_token;
        if (frame.token) this.keep(frame.token);
        return;
      case 'you':
        this.role = frame.role;
        this.mine = frame.mine;
        if (frame.watch) this.watchKey = frame.watch;
        if (frame.next_token) this.nextToken = frame.next_token;
        if (!frame.mine.length) pinDigits(this.id, []);
        return;
      case 'snapshot':
        return this.start(frame);
      case 'event':
        return this.follow(frame);
      case 'previews':
        this.previews = frame.choices;
        this.sequences = frame.sequences;
        return;
      case 'accepted':
        if (frame.token && frame.match) this.nextToken = frame.token;
        else if (frame.token) this.keep(frame.token);
        return;
      case 'presence':
        this.seats = this.seats.map((seat, i) =>
          i === frame.seat ? { ...seat, here: frame.here, stand_in_at: frame.stand_in_at } : seat,
        );
        return;
      case 'clock':
        if (this.mine.includes(frame.seat) && !settings.muted) play({ name: 'tick' });
        return;
    }
  }

  private keep(token: string): void {
    this.recover = '';
    keepSeat(this.id, { token, game: this.game });
  }

  private start(frame: Snapshot): void {
    this.game = frame.game;
    this.options = frame.options;
    this.settings = frame.settings;
    this.commitment = frame.commitment;
    if (frame.now.status !== 'over') pinSeal(this.id, frame.commitment, frame.plies);
    this.entropy = frame.entropy;
    this.version = this.decision = frame.version;
    this.gap = false;
    if (!this.script) return;
    this.stage ??= this.makeStage(this.script);
    this.see(frame.now);
    this.stage.reset(frame.now.position ?? null, frame.turn);
    keepSeat(this.id, { game: frame.game, over: frame.now.status === 'over' });
  }

  /** The number of seats changed, before the match began: nothing has been shown yet. */
  private resize(options: Snapshot['options']): void {
    this.options = options;
    this.stage = this.script && this.makeStage(this.script);
  }

  private makeStage(script: Script): Stage {
    return new Stage({
      script,
      options: this.options,
      speed: () => (document.hidden ? 0 : settings.speed), // nobody looks: do not fall behind
      still: () => settings.still,
      mine: () => this.mine,
      sound: (sound, delay) => {
        if (!settings.muted) play(sound, delay);
      },
      vibrate: (pattern) => {
        if (!settings.muted) vibrate(pattern);
      },
      ahead: () => this.ahead(),
    });
  }

  private follow({ version, event, now, steps }: EventFrame): void {
    if (version <= this.version || this.gap) return; // known, or not to be understood
    if (version > this.version + 1 && this.role !== 'guest') {
      this.gap = true;
      this.socket.reconnect();
      return;
    }
    const began = this.stage?.view === null;
    this.version = version;
    this.previews = {};
    if (['started', 'acted', 'position_set'].includes(event.kind)) this.decision = version;
    this.sequences = null;
    if (event.kind === 'configured') this.settings = event.settings;
    if (event.kind === 'resized') this.resize(event.options);
    this.see(now);
    const lines = eventLines(event, this.realDice);
    const seat = event.kind === 'acted' ? { seat: event.seat } : {};
    if (steps.length && !began) this.stage?.push({ ...seat, steps, lines });
    else if (now.position != null && (began || event.kind === 'position_set')) this.stage?.reset(now.position, []);
    else if (now.position != null)
      this.stage?.push({ ...seat, steps: [], lines, ...(isUndo(event) ? { position: now.position } : {}) });
    if (now.status === 'over' || isUndo(event)) keepSeat(this.id, { over: now.status === 'over' });
  }

  private see(now: Now): void {
    if (now.seats) this.seats = now.seats;
    this.now = now;
    if (now.to_act === null || this.isPlayedHere(now.to_act)) this.hurried = false;
    else if (settings.speed === 0 || this.stage?.rushing) this.hurryBots(); // no animation, no waiting
  }
}

/** Call something when the next frame has been painted; nothing is painted in the background. */
function afterPaint(call: () => void): void {
  if (typeof requestAnimationFrame === 'undefined' || document.hidden) call();
  else requestAnimationFrame(() => setTimeout(call));
}

const isUndo = (event: EventFrame['event']): boolean => event.kind === 'acted' && /^undo( \d+)?$/.test(event.action);

/** What happened besides the game, as lines of the log. */
function eventLines(event: EventFrame['event'], realDice: boolean): NewLine[] {
  if (event.kind !== 'acted') return [];
  const { seat, action } = event;
  if (isUndo(event)) return [{ seat, key: realDice ? 'web.event.corrected' : 'web.event.undo' }];
  if (action === 'resign') return [{ seat, key: 'web.event.resign' }];
  if (action === 'back') return [{ seat, key: 'web.event.back' }];
  if (action.startsWith('bot ')) return [{ seat, key: 'web.event.bot' }];
  return [];
}
