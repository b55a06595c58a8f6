/**
 * One connection to one match, without the DOM: says hello, comes back by itself, and repeats what was not answered.
 * Every command has an id, by which repeating it is harmless.
 */
import type { Accepted, AnyFrame, AnyCommand, Hello } from './protocol';
import { randomText } from './seats';

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

export interface SocketOptions {
  url: string;
  /** Asked for at every connection: token, code and what is known already. */
  hello(): Omit<Hello, 'type' | 'guest'>;
  version(): number;
  frame(frame: AnyFrame): void;
  /** The link changed; `code` says why it is closed for good. */
  link(link: Link, code: string): void;
  /** For tests. */
  WebSocket?: typeof WebSocket;
}

/** Endings after which coming back is of no use. */
const FINAL = new Set(['forbidden', 'unknown_match', 'moved', 'replaced', 'watching_off', 'malformed']);
const BACKOFF = [250, 500, 1000, 2000, 4000, 8000];
const PING_EVERY = 20_000;
const PING_PATIENCE = 8_000;

interface Pending {
  command: AnyCommand;
  resolve(answer: Accepted): void;
  reject(reason: Refused): void;
}

export class MatchSocket {
  private socket: WebSocket | null = null;
  private readonly pending = new Map<string, Pending>();
  private readonly guest = randomText();
  private welcomed = false;
  private tries = 0;
  private stopped = '';
  private timer: ReturnType<typeof setTimeout> | undefined;
  private heartbeat: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: SocketOptions) {
    this.connect();
  }

  /** Ask for something; answered even if the connection breaks meanwhile. */
  request(wanted: Wanted): Promise<Accepted> {
    if (this.stopped) return Promise.reject(new Refused(this.stopped, 'the connection is closed'));
    const command = { ...wanted, id: randomText(12), version: this.options.version() } as AnyCommand;
    return new Promise((resolve, reject) => {
      this.pending.set(command.id, { command, resolve, reject });
      this.send(command);
    });
  }

  /** Do not wait any longer before the next try: the network is back, or somebody looks. */
  hurry(): void {
    if (this.stopped) return;
    if (!this.socket) {
      this.tries = 0;
      this.connect();
    } else if (this.welcomed) this.ping();
  }

  close(code = 'left'): void {
    this.stop(code);
  }

  private connect(): void {
    clearTimeout(this.timer);
    const socket = new (this.options.WebSocket ?? WebSocket)(this.options.url);
    this.socket = socket;
    this.options.link('connecting', '');
    socket.onopen = () => {
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
    this.listen();
    if (frame.type === 'welcome') {
      this.welcomed = true;
      this.tries = 0;
      this.options.frame(frame);
      this.options.link('open', '');
      for (const { command } of this.pending.values()) this.send(command);
      return;
    }
    if (frame.type === 'accepted') {
      const waiting = this.pending.get(frame.id);
      this.pending.delete(frame.id);
      this.options.frame(frame);
      waiting?.resolve(frame);
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
    if (this.welcomed) this.socket?.send(JSON.stringify(command));
  }

  private lost(): void {
    this.socket = null;
    this.welcomed = false;
    clearTimeout(this.heartbeat);
    if (this.stopped) return;
    const wait = (BACKOFF[Math.min(this.tries, BACKOFF.length - 1)] ?? 8000) * (0.75 + Math.random() / 2);
    this.tries += 1;
    this.options.link('waiting', '');
    this.timer = setTimeout(() => this.connect(), wait);
  }

  private stop(code: string): void {
    if (this.stopped) return;
    this.stopped = code;
    clearTimeout(this.timer);
    clearTimeout(this.heartbeat);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    for (const { reject } of this.pending.values()) reject(new Refused(code, 'the connection is closed'));
    this.pending.clear();
    this.options.link('closed', code);
  }

  /** The other side was heard: ask again when it has been silent for long. */
  private listen(): void {
    clearTimeout(this.heartbeat);
    this.heartbeat = setTimeout(() => this.ping(), PING_EVERY);
  }

  private ping(): void {
    const socket = this.socket;
    if (!socket || !this.welcomed) return;
    socket.send(JSON.stringify({ type: 'ping', id: `p${randomText(6)}`, version: 0 }));
    clearTimeout(this.heartbeat);
    this.heartbeat = setTimeout(() => {
      if (socket !== this.socket) return;
      socket.close();
      this.lost();
    }, PING_PATIENCE);
  }
}

/** The address of a match's socket on this server. */
export const socketUrl = (match: string): string =>
  `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/api/matches/${encodeURIComponent(match)}/socket`;
