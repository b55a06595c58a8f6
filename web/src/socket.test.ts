import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AnyFrame } from './protocol';
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

const welcome = { type: 'welcome', match: 'm', role: 'host', mine: [0], version: 3, time: 0, token: null, watch: null };

function open() {
  const links: [Link, string][] = [];
  const frames: AnyFrame[] = [];
  const socket = new MatchSocket({
    url: 'ws://test', hello: () => ({ token: 'secret', since: 3 }), version: () => 3,
    frame: (frame) => frames.push(frame), link: (link, code) => links.push([link, code]),
    WebSocket: FakeSocket as unknown as typeof WebSocket,
  });
  return { socket, links, frames, wire: () => FakeSocket.all.at(-1) as FakeSocket };
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
});
