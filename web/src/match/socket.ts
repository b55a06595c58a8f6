/**
 * One connection to one match: sends `hello`, reconnects by itself, and repeats commands that were not answered.
 * Every command has an id, so repeating it is harmless. No state lasts for ever: a watchdog ends each wait.
 */
import type { Accepted, AnyFrame, AnyCommand, Hello } from '../protocol';
import { randomText } from './tokens';

export type Link = 'connecting' | 'open' | 'waiting' | 'closed';

/** A command as a caller writes it; the socket adds id and version. */
export type Wanted<T extends AnyCommand = AnyCommand> = T extends AnyCommand ? Omit<T, 'id' | 'version'> : never;

/** The server said no. The code has a text: `error.CODE`. */
export class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The part of a WebSocket that is used. */
export type Wire = Pick<WebSocket, 'onopen' | 'onmessage' | 'onclose' | 'send' | 'close'>;

export interface SocketOptions {
  url: string;
  /** Asked for at every connection: token, code and what is known already. */
  hello(): Omit<Hello, 'type' | 'guest'>;
  version(): number;
  frame(frame: AnyFrame): void;
  /** The link changed; `code` says why it is closed for good. */
  link(link: Link, code: string): void;
  /** For tests. */
  WebSocket?: new (url: string) => Wire;
  network?: Network;
}

/** Reports when the device loses or regains its network: a window. */
export interface Network {
  addEventListener(type: 'online' | 'offline', listener: () => void): void;
  removeEventListener(type: 'online' | 'offline', listener: () => void): void;
}

/** Endings after which coming back is of no use. */
const FINAL = new Set(['forbidden', 'unknown_match', 'moved', 'replaced', 'watching_off', 'malformed']);
const BACKOFF = [250, 500, 1000, 2000, 4000, 8000];
/** How long a new connection may take until `welcome`. */
const CONNECT_PATIENCE = 8_000;
/** An attempt that is younger is not given up for another one. */
const CONNECT_FRESH = 1_000;
/** A silent connection is tested after this time, and given up if there is no answer. */
const PING_EVERY = 20_000;
const PING_PATIENCE = 8_000;
/** The same after a command, after a wake-up, and when the device reports that it is offline. */
const ANSWER_PATIENCE = 4_000;
const WAKE_PATIENCE = 2_000;
const OFFLINE_PATIENCE = 1_000;

interface Pending {
  command: AnyCommand;
  resolve(answer: Accepted): void;
  reject(reason: Refused): void;
}

export class MatchSocket {
  private socket: Wire | null = null;
  private readonly pending = new Map<string, Pending>();
  private readonly guest = randomText();
  private welcomed = false;
  /** When the current attempt began. */
  private began = 0;
  /** The device reports that it is offline, and the server has not been heard since. */
  private doubted = false;
  /** A ping has been sent and not been answered. */
  private testing = false;
  private tries = 0;
  private stopped = '';
  private timer: ReturnType<typeof setTimeout> | undefined;
  private watchdog: ReturnType<typeof setTimeout> | undefined;
  private readonly network: Network | null;

  constructor(private readonly options: SocketOptions) {
    this.network = options.network ?? (typeof window === 'undefined' ? null : window);
    this.network?.addEventListener('online', this.online);
    this.network?.addEventListener('offline', this.offline);
    this.connect();
  }

  /** Ask for something; answered even if the connection breaks meanwhile. */
  request(wanted: Wanted): Promise<Accepted> {
    if (this.stopped) return Promise.reject(new Refused(this.stopped, 'the connection is closed'));
    const command = { ...wanted, id: randomText(12), version: this.options.version() } as AnyCommand;
    return new Promise((resolve, reject) => {
      this.pending.set(command.id, { command, resolve, reject });
      if (!this.welcomed) return;
      this.send(command);
      if (this.pending.size === 1 && !this.testing) this.expectAnswer();
    });
  }

  /** Do not wait any longer: somebody looks. */
  hurry(): void {
    if (this.stopped) return;
    if (this.welcomed) this.ping(WAKE_PATIENCE);
    else if (!this.socket || Date.now() - this.began >= CONNECT_FRESH) this.reconnect();
  }

  /** Drop the connection, whatever its state, and make a new one at once. */
  reconnect(): void {
    if (this.stopped) return;
    this.abandon();
    this.tries = 0;
    this.connect();
  }

  close(code = 'left'): void {
    this.stop(code);
  }

  /** An attempt from before the network was back may never be answered: another one is made. */
  private readonly online = (): void => (this.welcomed ? this.hurry() : this.reconnect());

  /** A connection may outlive the network (a server on the same machine): it has a second to prove it. */
  private readonly offline = (): void => {
    if (this.stopped) return;
    this.options.link('waiting', '');
    if (!this.welcomed) return;
    this.doubted = true;
    this.ping(OFFLINE_PATIENCE);
  };

  private connect(): void {
    clearTimeout(this.timer);
    const socket = new (this.options.WebSocket ?? WebSocket)(this.options.url);
    this.socket = socket;
    this.began = Date.now();
    this.options.link('connecting', '');
    this.watch(CONNECT_PATIENCE, () => this.lost());
    socket.onopen = () => {
      if (socket !== this.socket) return;
      socket.send(JSON.stringify({ type: 'hello', guest: this.guest, ...this.options.hello() } satisfies Hello));
    };
    socket.onmessage = (message) => {
      if (socket === this.socket) this.take(JSON.parse(String(message.data)) as AnyFrame);
    };
    socket.onclose = () => {
      if (socket === this.socket) this.lost();
    };
  }

  private take(frame: AnyFrame): void {
    if (frame.type === 'welcome') {
      this.welcomed = true;
      this.tries = 0;
      this.heard();
      this.options.frame(frame);
      this.options.link('open', '');
      for (const { command } of this.pending.values()) this.send(command);
      if (this.pending.size) this.expectAnswer();
      return;
    }
    if (this.welcomed) this.heard();
    if (frame.type === 'accepted') {
      const waiting = this.pending.get(frame.id);
      this.pending.delete(frame.id);
      try {
        this.options.frame(frame);
      } finally {
        waiting?.resolve(frame);
      }
      return;
    }
    if (frame.type === 'refused' && frame.id !== null) {
      const waiting = this.pending.get(frame.id);
      this.pending.delete(frame.id);
      waiting?.reject(new Refused(frame.code, frame.message));
    }
    this.options.frame(frame);
    if (frame.type === 'bye' && FINAL.has(frame.code)) this.stop(frame.code);
  }

  private send(command: AnyCommand): void {
    this.socket?.send(JSON.stringify(command));
  }

  /** Give the connection up and try again after a while. */
  private lost(): void {
    this.abandon();
    if (this.stopped) return;
    const wait = (BACKOFF[Math.min(this.tries, BACKOFF.length - 1)] ?? 8000) * (0.75 + Math.random() / 2);
    this.tries += 1;
    this.options.link('waiting', '');
    this.timer = setTimeout(() => this.connect(), wait);
  }

  /** Forget the connection; it may be dead already. */
  private abandon(): void {
    const socket = this.socket;
    this.socket = null;
    this.welcomed = this.doubted = this.testing = false;
    clearTimeout(this.timer);
    clearTimeout(this.watchdog);
    socket?.close();
  }

  private stop(code: string): void {
    if (this.stopped) return;
    this.stopped = code;
    this.network?.removeEventListener('online', this.online);
    this.network?.removeEventListener('offline', this.offline);
    this.abandon();
    for (const { reject } of this.pending.values()) reject(new Refused(code, 'the connection is closed'));
    this.pending.clear();
    this.options.link('closed', code);
  }

  private watch(ms: number, then: () => void): void {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(then, ms);
  }

  /** The server was heard: test the connection when it has been silent for long. */
  private heard(): void {
    if (this.doubted) this.options.link('open', '');
    this.doubted = this.testing = false;
    this.watch(PING_EVERY, () => this.ping(PING_PATIENCE));
  }

  private expectAnswer(): void {
    this.watch(ANSWER_PATIENCE, () => this.ping(ANSWER_PATIENCE));
  }

  private ping(patience: number): void {
    this.testing = true;
    this.socket?.send(JSON.stringify({ type: 'ping', id: `p${randomText(6)}`, version: 0 }));
    this.watch(patience, () => this.lost());
  }
}

/** The address of a match's socket on this server. */
export const socketUrl = (match: string): string =>
  `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}` +
  `/api/matches/${encodeURIComponent(match)}/socket`;
