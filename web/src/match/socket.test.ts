import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AnyFrame } from '../protocol';
import { MatchSocket, type Link } from './socket';

class FakeSocket {
  static all: FakeSocket[] = [];
  sent: Record<string, unknown>[] = [];
  onopen: () => void = () => {};
  onmessage: (message: { data: string }) => void = () => {};
  onclose: () => void = () => {};
  constructor(readonly url: string) {
    FakeSocket.all.push(this);
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }
  close(): void {
    this.onclose();
  }
  gets(frame: object): void {
    this.onmessage({ data: JSON.stringify(frame) });
  }
}

const welcome = {
  type: 'welcome',
  match: 'm',
  role: 'host',
  mine: [0],
  version: 3,
  time: 0,
  token: null,
  watch: null,
};

/** A device whose network comes and goes. */
class FakeNetwork {
  private readonly listeners = new Map<string, () => void>();
  addEventListener(type: string, listener: () => void): void {
    this.listeners.set(type, listener);
  }
  removeEventListener(type: string): void {
    this.listeners.delete(type);
  }
  goes(type: 'online' | 'offline'): void {
    this.listeners.get(type)?.();
  }
}

function open() {
  const network = new FakeNetwork();
  const links: [Link, string][] = [];
  const frames: AnyFrame[] = [];
  const socket = new MatchSocket({
    url: 'ws://test',
    hello: () => ({ token: 'secret', since: 3 }),
    version: () => 3,
    frame: (frame) => frames.push(frame),
    link: (link, code) => links.push([link, code]),
    WebSocket: FakeSocket,
    network,
  });
  return { socket, network, links, frames, wire: () => FakeSocket.all.at(-1) as FakeSocket };
}

describe('the socket', () => {
  beforeEach(() => {
    FakeSocket.all = [];
    vi.useFakeTimers();
  });
  afterEach(() => void vi.useRealTimers());

  it('says hello first, and sends what was asked for once it is welcome', () => {
    const { socket, wire } = open();
    void socket.request({ type: 'act', action: 'roll' });
    wire().onopen();
    expect(wire().sent).toMatchObject([{ type: 'hello', token: 'secret', since: 3 }]);
    wire().gets(welcome);
    expect(wire().sent[1]).toMatchObject({ type: 'act', action: 'roll', version: 3 });
  });
  it('answers each request by its id, refusals too', async () => {
    const { socket, wire } = open();
    wire().gets(welcome);
    const yes = socket.request({ type: 'undo' });
    const no = socket.request({ type: 'start' });
    const [a, b] = wire().sent;
    wire().gets({ type: 'refused', id: b?.id, code: 'forbidden', message: '', version: 3 });
    wire().gets({ type: 'accepted', id: a?.id, version: 4, token: null, code: null, action: null, match: null });
    await expect(yes).resolves.toMatchObject({ version: 4 });
    await expect(no).rejects.toMatchObject({ code: 'forbidden' });
  });
  it('comes back by itself and repeats what was not answered, with the same id', async () => {
    const { socket, wire, links } = open();
    wire().gets(welcome);
    const asked = socket.request({ type: 'act', action: 'roll' });
    const first = wire().sent[0];
    wire().onclose();
    expect(links.at(-1)).toEqual(['waiting', '']);
    await vi.advanceTimersByTimeAsync(1000);
    expect(FakeSocket.all).toHaveLength(2);
    wire().onopen();
    wire().gets(welcome);
    expect(wire().sent[1]).toEqual(first);
    wire().gets({ type: 'accepted', id: first?.id, version: 4 });
    await expect(asked).resolves.toBeTruthy();
  });
  it('stays away when coming back is of no use', async () => {
    const { socket, wire, links } = open();
    wire().gets(welcome);
    wire().gets({ type: 'bye', code: 'moved' });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeSocket.all).toHaveLength(1);
    expect(links.at(-1)).toEqual(['closed', 'moved']);
    await expect(socket.request({ type: 'undo' })).rejects.toMatchObject({ code: 'moved' });
  });
  it('notices a connection that is dead but not closed', async () => {
    const { wire } = open();
    wire().gets(welcome);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(wire().sent.at(-1)).toMatchObject({ type: 'ping' });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(FakeSocket.all.length).toBeGreaterThan(1);
  });
  it('gives up an attempt that does not open, and one that is not welcomed', async () => {
    const { wire, links } = open();
    await vi.advanceTimersByTimeAsync(7_900);
    expect(FakeSocket.all).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(FakeSocket.all).toHaveLength(2);
    wire().onopen();
    await vi.advanceTimersByTimeAsync(9_000);
    expect(FakeSocket.all).toHaveLength(3);
    wire().onopen();
    wire().gets(welcome);
    expect(links.at(-1)).toEqual(['open', '']);
  });
  it('ignores the attempts that it gave up', async () => {
    const { frames } = open();
    const dead = FakeSocket.all[0] as FakeSocket;
    await vi.advanceTimersByTimeAsync(9_000);
    dead.onopen();
    dead.gets(welcome);
    dead.onclose();
    expect([frames, dead.sent, FakeSocket.all.length]).toEqual([[], [], 2]);
  });
  it('starts anew when hurried while it connects, but not at once again', async () => {
    const { socket } = open();
    await vi.advanceTimersByTimeAsync(500);
    socket.hurry();
    expect(FakeSocket.all).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(600);
    socket.hurry();
    socket.hurry();
    expect(FakeSocket.all).toHaveLength(2);
  });
  it('shows within a second that the network is lost, and that it is back', async () => {
    const { network, wire, links } = open();
    wire().gets(welcome);
    network.goes('offline');
    expect(links.at(-1)).toEqual(['waiting', '']);
    await vi.advanceTimersByTimeAsync(3_000); // no pong: it is given up, and others are tried
    const tried = FakeSocket.all.length;
    expect(tried).toBeGreaterThan(1);
    await vi.advanceTimersByTimeAsync(1_000);
    network.goes('online');
    wire().onopen();
    wire().gets(welcome);
    expect(links.at(-1)).toEqual(['open', '']);
  });
  it('gives up even a new attempt when the network is back', async () => {
    const { network } = open();
    await vi.advanceTimersByTimeAsync(500);
    network.goes('online');
    expect(FakeSocket.all).toHaveLength(2);
  });
  it('stays with a connection that outlives the network', async () => {
    const { network, wire, links } = open();
    wire().gets(welcome);
    network.goes('offline');
    wire().gets({ type: 'accepted', id: 'p', version: 3 });
    expect(links.at(-1)).toEqual(['open', '']);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(FakeSocket.all).toHaveLength(1);
  });
  it('tests a connection on which a command is not answered', async () => {
    const { socket, wire } = open();
    wire().gets(welcome);
    const asked = socket.request({ type: 'act', action: 'roll' });
    await vi.advanceTimersByTimeAsync(4_000);
    expect(wire().sent.at(-1)).toMatchObject({ type: 'ping' });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(FakeSocket.all).toHaveLength(2);
    wire().onopen();
    wire().gets(welcome);
    expect(wire().sent.at(-1)).toMatchObject({ type: 'act', action: 'roll' });
    wire().gets({ type: 'accepted', id: wire().sent.at(-1)?.id, version: 4 });
    await expect(asked).resolves.toBeTruthy();
  });
  it('makes a new connection when asked to', () => {
    const { socket, wire } = open();
    wire().gets(welcome);
    socket.reconnect();
    expect(FakeSocket.all).toHaveLength(2);
    wire().onopen();
    expect(wire().sent).toMatchObject([{ type: 'hello' }]);
  });
});
