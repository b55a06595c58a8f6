/** One match as a screen shows it: frames in, reactive fields out. No rules: what may be done is what was sent. */
import type { Script } from './anim';
import { asFacts, asPreview, asStep, type Preview } from './facts';
import { pinDigits, pinSeal } from './fairness';
import type { Accepted, Advice, AnyFrame, EventFrame, Now, SeatView, Snapshot, TableSettings } from './protocol';
import { keepSeat, seatOf } from './seats';
import { settings } from './settings.svelte';
import { MatchSocket, Refused, socketUrl, type Link, type SocketOptions, type Wanted } from './socket';
import { play } from './sound';
import { Stage, type NewLine } from './stage.svelte';

export type Role = 'host' | 'player' | 'watcher' | 'guest';

/** What is best at a version of a match; `advice` is null where no coach knows the game. */
export interface Advised {
  version: number;
  action: string;
  advice: Advice | null;
}

export interface MatchOptions {
  /** Finds a game's script by its name. */
  script(game: string): Script;
  /** From the fragment of the address. */
  watch?: string;
  recover?: string;
  /** For tests. */
  socket?: (options: SocketOptions) => MatchSocket;
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
  /** What is shown, which may lag behind `now` while things move. */
  stage = $state.raw<Stage | null>(null);
  /** Whether the last decision may be taken back. */
  undoable = $state(false);

  /** The last hint. */
  advised = $state.raw<Advised | null>(null);

  /** The request that waits for its answer. */
  pending = $state('');
  /** Why the last request was refused; a new request clears it. */
  refusal = $state('');
  /** The server's clock less ours, in milliseconds. */
  private skew = 0;
  private watch: string;
  private recover: string;
  private readonly socket: MatchSocket;

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
      frame: (frame) => this.take(frame),
      link: (link, code) => {
        this.link = link;
        this.ending = code;
        if (link === 'open') this.seen = true;
      },
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
    return this.toAct !== null && this.mine.includes(this.toAct) && !this.seats[this.toAct]?.bot;
  }

  /** What may be done now, at this device. */
  get legal(): string[] {
    return this.myTurn && !this.pending ? (this.now?.legal ?? []) : [];
  }

  /** Several people play at this device. */
  get hotSeat(): boolean {
    return this.mine.length > 1;
  }

  get names(): string[] {
    return this.seats.map((seat) => seat.name ?? '–');
  }

  /** The seat for which a stand-in plays and which this device may take back. */
  get stoodIn(): number | null {
    const seat = this.mine.find((s) => this.seats[s]?.bot && this.seats[s]?.owner === 'person' && !this.seats[s]?.resigned);
    return this.status === 'playing' ? (seat ?? null) : null;
  }

  /** Milliseconds left for the turn, at a moment of our own clock; null without a clock. */
  left(at: number): number | null {
    const deadline = this.now?.deadline;
    return deadline == null ? null : Math.max(0, deadline * 1000 - this.skew - at);
  }

  // What a screen does.

  act(action: string): Promise<Accepted | null> {
    return this.ask({ type: 'act', action });
  }

  /** Ask for something. A refusal is kept in `refusal`, for all to see, and null is returned. */
  async ask(wanted: Wanted): Promise<Accepted | null> {
    this.refusal = '';
    this.pending = wanted.type;
    if (wanted.type === 'sit' && wanted.entropy) pinDigits(this.id, [wanted.entropy]);
    try {
      return await this.socket.request(wanted);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.refusal = error.code;
      return null;
    } finally {
      this.pending = '';
    }
  }

  /** A hint, at a practice table. Nothing on screen waits for it, and a refusal is nobody's fault: the turn went on. */
  async advise(): Promise<Advised | null> {
    try {
      const { version, action, advice } = await this.socket.request({ type: 'hint' });
      if (action !== null) this.advised = { version, action, advice };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
    return this.advised?.version === this.version ? this.advised : null;
  }

  hurry(): void {
    this.socket.hurry();
  }

  close(): void {
    this.stage?.reset(null, []);
    this.socket.close();
  }

  // Frames.

  private hello() {
    const token = seatOf(this.id)?.token;
    return {
      previews: true,
      ...(this.recover ? { recover: this.recover } : token ? { token } : this.watch ? { watch: this.watch } : {}),
      ...(this.now && !this.recover ? { since: this.version } : {}),
    };
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
        this.previews = Object.fromEntries(Object.entries(frame.choices).map(([action, p]) => [action, asPreview(p)]));
        return;
      case 'accepted':
        if (frame.token && frame.match) this.nextToken = frame.token;
        else if (frame.token) this.keep(frame.token);
        return;
      case 'presence':
        this.seats = this.seats.map((seat, i) => (i === frame.seat ? { ...seat, here: frame.here } : seat));
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
    this.version = frame.version;
    this.undoable = false;
    this.stage ??= new Stage({
      script: this.on.script(frame.game),
      options: frame.options,
      speed: () => (document.hidden ? 0 : settings.speed), // nobody looks: do not fall behind
      still: () => settings.still,
      sound: (sound, delay) => {
        if (!settings.muted) play(sound, delay);
      },
    });
    this.see(frame.now);
    this.stage.reset(frame.now.position ?? null, asFacts(frame.turn));
    keepSeat(this.id, { game: frame.game, over: frame.now.status === 'over' });
  }

  private follow({ version, event, now, steps }: EventFrame): void {
    if (version <= this.version) return; // told before
    const began = this.stage?.view === null;
    this.version = version;
    this.previews = {};
    if (event.kind === 'configured') this.settings = event.settings;
    this.see(now);
    const lines = news(event);
    this.undoable =
      event.kind === 'acted' && steps.length > 0 && !event.dice.length && this.mine.includes(event.seat) && !!this.settings?.practice;
    if (steps.length && !began) this.stage?.push({ steps: steps.map(asStep), lines });
    else if (now.position != null && (began || event.kind === 'position_set')) this.stage?.reset(now.position, []);
    else if (now.position != null) this.stage?.push({ steps: [], lines, ...(isUndo(event) ? { position: now.position } : {}) });
    if (now.status === 'over') keepSeat(this.id, { over: true });
  }

  private see(now: Now): void {
    if (now.seats) this.seats = now.seats;
    this.now = now;
  }
}

const isUndo = (event: EventFrame['event']): boolean => event.kind === 'acted' && event.action === 'undo';

/** What happened besides the game, as lines of the log. */
function news(event: EventFrame['event']): NewLine[] {
  if (event.kind !== 'acted') return [];
  const { seat, action } = event;
  if (action === 'undo') return [{ seat, key: 'web.news.undo' }];
  if (action === 'resign') return [{ seat, key: 'web.news.resign' }];
  if (action === 'back') return [{ seat, key: 'web.news.back' }];
  if (action.startsWith('bot ')) return [{ seat, key: 'web.news.bot' }];
  return [];
}
