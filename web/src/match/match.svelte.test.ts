import { flushSync } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AnyFrame, Now, SeatView } from '../protocol';
import type { Script } from './cues';
import type { MatchOptions } from './match.svelte';
import { Refused, type SocketOptions, type Wanted } from './socket';
import { keepSeat, seatOf } from './tokens';

vi.hoisted(() => {
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  vi.stubGlobal('location', { protocol: 'http:', host: 'test' });
  vi.stubGlobal('document', { hidden: false, documentElement: { style: { setProperty: () => {} } } });
});
const { Match } = await import('./match.svelte');
const { settings } = await import('../settings/settings.svelte');

/** A game whose position is a number; every step takes 100 ms. */
const script: Script = {
  view: (position) => position,
  plan: (_, { position, facts }) => ({
    cues: [{ kind: 'move', seat: 0, ms: 100, view: position, facts, sounds: [] }],
    view: position,
  }),
};

interface Asked {
  wanted: Wanted;
  accept(fields?: object): Promise<void>;
  refuse(code: string): Promise<void>;
}

/** The socket's end of a match: frames go in, requests come out. */
function seated(options: Partial<MatchOptions> = {}) {
  let wire: SocketOptions | undefined;
  const asked: Asked[] = [];
  const calls: string[] = [];
  const match = new Match('m', {
    load: () => Promise.resolve(script),
    ...options,
    socket: (given) => {
      wire = given;
      return {
        request: (wanted: Wanted) =>
          new Promise((resolve, reject) => {
            const done = async (answer: () => void) => {
              answer();
              await vi.advanceTimersByTimeAsync(0);
            };
            asked.push({
              wanted,
              accept: (fields = {}) =>
                done(() => resolve({ type: 'accepted', id: 'x', version: match.version, ...fields } as never)),
              refuse: (code) => done(() => reject(new Refused(code, ''))),
            });
          }),
        hurry: () => calls.push('hurry'),
        reconnect: () => calls.push('reconnect'),
        close: () => calls.push('close'),
      };
    },
  });
  const take = (frame: object) => wire?.frame(frame as AnyFrame);
  return {
    match,
    asked,
    calls,
    take,
    hello: () => wire?.hello(),
    link: (...args: Parameters<SocketOptions['link']>) => wire?.link(...args),
    event: (version: number, event: object, state: Partial<Now>, steps: object[] = []) =>
      take({ type: 'event', version, time: 0, event, now: now(state), steps }),
  };
}

const seat = (name: string, fields: Partial<SeatView> = {}): SeatView => ({
  name,
  bot: null,
  owner: 'person',
  colours: ['red'],
  here: true,
  resigned: false,
  stand_in_at: null,
  ...fields,
});
const ANA = seat('Ana');
const RUI = seat('Rui');
const BOT = seat('Bento', { owner: 'bot', bot: 'simple' });
const now = (state: Partial<Now>): Now =>
  ({
    status: 'playing',
    seats: null,
    to_act: 0,
    legal: ['roll'],
    undo: null,
    position: 1,
    next: null,
    ...state,
  }) as Now;
const welcome = (fields: object = {}) => ({
  type: 'welcome',
  role: 'host',
  mine: [0],
  version: 5,
  time: Date.now() / 1000,
  ...fields,
});
const snapshot = (state: Partial<Now> = {}, fields: object = {}) => ({
  type: 'snapshot',
  version: 5,
  game: 'g',
  options: {},
  settings: { practice: false, pace: 900, watch: true },
  commitment: 'c',
  entropy: [],
  now: now({ seats: [ANA, RUI], ...state }),
  turn: [],
  plies: 3,
  ...fields,
});
const acted = (by: number, action = 'roll') => ({ kind: 'acted', seat: by, action, dice: [] });
const step = (position: number) => ({ action: 'roll', facts: [], position });

/** A table that is ready: its script has been loaded. */
async function table(state: Partial<Now> = {}, options: Partial<MatchOptions> = {}, fields: object = {}) {
  const here = seated(options);
  here.link('open', '');
  here.take(welcome(fields));
  here.take(snapshot(state));
  await vi.advanceTimersByTimeAsync(0);
  return here;
}

beforeEach(() => {
  vi.useFakeTimers();
  settings.speed = 1;
});
afterEach(() => void vi.useRealTimers());

describe('frames', () => {
  it('wait for the script of the game', async () => {
    let ready: (script: Script) => void = () => {};
    const { match, take, event } = seated({ load: () => new Promise((resolve) => (ready = resolve)) });
    take(welcome());
    take(snapshot());
    event(6, acted(0), { to_act: 1, position: 2 }, [step(2)]);
    expect([match.status, match.version]).toEqual(['loading', 0]);
    ready(script);
    await vi.advanceTimersByTimeAsync(200);
    expect([match.status, match.version, match.stage?.view]).toEqual(['playing', 6, 2]);
  });
  it('of a script that cannot be loaded close the match', async () => {
    const { take, calls } = seated({ load: () => Promise.reject(new Error('offline')) });
    take(snapshot());
    await vi.advanceTimersByTimeAsync(0);
    expect(calls).toEqual(['close']);
  });
  it('become fields, and what may be done waits for the animation', async () => {
    const { match, event } = await table({ to_act: 1, legal: [] });
    expect([match.role, match.mine, match.names, match.myTurn, match.legal]).toEqual([
      'host',
      [0],
      ['Ana', 'Rui'],
      false,
      [],
    ]);
    event(6, acted(1), { to_act: 0, legal: ['a', 'b'], position: 2 }, [step(2)]);
    expect([match.stage?.busy, match.toAct, match.legal]).toEqual([true, null, []]);
    await vi.advanceTimersByTimeAsync(100);
    expect([match.stage?.busy, match.myTurn, match.legal]).toEqual([false, true, ['a', 'b']]);
  });
  it('of a changed number of seats bring the options, which the script is given', async () => {
    const view = vi.fn<Script['view']>(() => 1);
    const load = () => Promise.resolve({ ...script, view });
    const { match, event } = await table({ status: 'waiting', position: null }, { load });
    event(
      6,
      { kind: 'resized', options: { players: 2 }, seats: [0, 1], colours: [['red'], ['blue']] },
      {
        status: 'waiting',
        position: null,
      },
    );
    expect(match.options).toEqual({ players: 2 });
    event(7, { kind: 'started', first: 0 }, { position: 1 });
    expect(view.mock.lastCall?.[2]).toEqual({ players: 2 });
  });
  it('are reactive', async () => {
    const { match, event } = await table();
    const seen: string[][] = [];
    const stop = $effect.root(() => {
      $effect(() => void seen.push(match.legal));
    });
    flushSync();
    event(6, acted(0), { to_act: 0, legal: ['b'], position: 2 }, [step(2)]);
    flushSync();
    await vi.advanceTimersByTimeAsync(100);
    flushSync();
    expect(seen).toEqual([['roll'], [], ['b']]);
    stop();
  });
  it('of known versions change nothing', async () => {
    const { match, event } = await table();
    event(5, acted(0), { to_act: 1 });
    expect(match.now?.to_act).toBe(0);
  });
  it('after a gap ask for a snapshot by a new connection, and are ignored until it comes', async () => {
    const { match, event, calls, hello, take } = await table();
    expect(hello()).toMatchObject({ since: 5 });
    event(7, acted(0), { to_act: 1, position: 3 }, [step(3)]);
    event(8, acted(1), { to_act: 0, position: 4 }, [step(4)]);
    expect([calls, match.version, match.stage?.view]).toEqual([['reconnect'], 5, 1]);
    expect(hello()).not.toHaveProperty('since');
    take(snapshot({ position: 4 }, { version: 8 }));
    expect([match.version, match.stage?.view]).toEqual([8, 4]);
    expect(hello()).toMatchObject({ since: 8 });
  });
  it('of a guest have gaps', async () => {
    const { match, event, calls } = await table({}, {}, { role: 'guest', mine: [] });
    event(9, { kind: 'continued', match: 'n' }, { status: 'over', next: 'n' });
    expect([match.version, calls]).toEqual([9, []]);
  });
});

describe('requests', () => {
  it('are counted; only an action takes away what may be done', async () => {
    const { match, asked } = await table();
    const both = [match.ask({ type: 'hint' }), match.ask({ type: 'configure', settings: {} })];
    expect([match.pending, match.legal]).toEqual([2, ['roll']]);
    const action = match.act('roll');
    expect([match.pending, match.legal]).toEqual([3, []]);
    await asked[0]?.accept();
    await asked[1]?.refuse('fixed');
    expect([match.pending, match.legal, match.refusal]).toEqual([1, [], 'fixed']);
    await asked[2]?.accept();
    expect([match.pending, match.legal]).toEqual([0, ['roll']]);
    await Promise.all([...both, action]);
  });
  it('that were refused say why, until the next', async () => {
    const { match, asked } = await table();
    const refused = match.act('roll');
    await asked[0]?.refuse('stale_version');
    expect([await refused, match.refusal, match.legal]).toEqual([null, 'stale_version', ['roll']]);
    void match.act('roll');
    expect(match.refusal).toBe('');
  });
  it('that nobody asks for are made once per version, and their refusal is not shown', async () => {
    const { match, asked, event } = await table();
    const stop = $effect.root(() => {
      $effect(() => {
        if (match.legal.length === 1) void match.actOnce('roll');
      });
    });
    for (let i = 0; i < 20; i++) {
      flushSync();
      await asked.at(-1)?.refuse('busy');
    }
    expect([asked.length, match.refusal]).toEqual([1, '']);
    event(6, acted(1, 'back'), { to_act: 0, legal: ['roll'] });
    await vi.advanceTimersByTimeAsync(0);
    flushSync();
    expect(asked).toHaveLength(2);
    stop();
  });
  it('by a tap that began before the decision was there are not made', async () => {
    const hand = new EventTarget();
    const { match, asked, event } = await table({ to_act: 1 }, { taps: hand });
    const fires = (type: string) => hand.dispatchEvent(Object.assign(new Event(type), { detail: 1 }));
    fires('pointerdown');
    event(6, acted(1), { to_act: 0 });
    await vi.advanceTimersByTimeAsync(0);
    fires('click');
    await match.act('roll');
    expect(asked).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1000);
    fires('pointerdown');
    fires('click');
    void match.act('roll');
    expect(asked).toHaveLength(1);
  });
});

describe('whom this device waits for', () => {
  it('is nobody while it is to act, and while things move', async () => {
    const { match, event } = await table();
    expect(match.waitingFor).toBeNull();
    event(6, acted(0), { to_act: 1, position: 2 }, [step(2)]);
    expect(match.waitingFor).toBeNull();
    await vi.advanceTimersByTimeAsync(100);
    expect(match.waitingFor).toEqual({ seat: 1, name: 'Rui', kind: 'thinking', left: null });
  });
  it('has a countdown when they are away', async () => {
    const { match, take } = await table({ to_act: 1 });
    take({ type: 'presence', seat: 1, here: false, stand_in_at: Date.now() / 1000 + 60 });
    expect(match.waitingFor).toEqual({ seat: 1, name: 'Rui', kind: 'away', left: 60_000 });
    await vi.advanceTimersByTimeAsync(45_000);
    expect(match.waitingFor?.left).toBe(15_000);
    take({ type: 'presence', seat: 1, here: true, stand_in_at: null });
    expect(match.waitingFor).toMatchObject({ kind: 'thinking', left: null });
  });
  it('corrects for a clock that is wrong, and takes the earlier end', async () => {
    const ahead = Date.now() / 1000 + 500;
    const { match } = await table(
      { to_act: 1, deadline: ahead + 10, seats: [ANA, { ...RUI, here: false, stand_in_at: ahead + 60 }] },
      {},
      { time: ahead },
    );
    expect(match.waitingFor).toMatchObject({ kind: 'away', left: 10_000 });
  });
  it('is a bot that thinks, also where it stands in', async () => {
    const { match } = await table({ to_act: 1, seats: [ANA, { ...RUI, here: false, bot: 'simple' }] });
    expect(match.waitingFor).toMatchObject({ kind: 'thinking', left: null });
  });
});

describe('bots', () => {
  const seats = [ANA, BOT, BOT];

  it('do not wait where animation is off and everybody else is a bot', async () => {
    settings.speed = 0;
    const { asked, event } = await table({ seats });
    event(6, acted(0), { to_act: 1, position: 2 }, [step(2)]);
    event(7, acted(1), { to_act: 2, position: 3 }, [step(3)]);
    expect(asked.map(({ wanted }) => wanted.type)).toEqual(['hurry']);
    event(8, acted(2), { to_act: 0, position: 4 }, [step(4)]);
    event(9, acted(0), { to_act: 1, position: 5 }, [step(5)]);
    expect(asked).toHaveLength(2);
  });
  it('are skipped to the next decision of this device', async () => {
    const { match, asked, event } = await table({ seats });
    expect(match.canSkip).toBe(false);
    event(6, acted(0), { to_act: 1, position: 2 }, [step(2)]);
    expect([match.stage?.cue?.seat, match.canSkip]).toEqual([0, false]); // one's own dice still roll
    await vi.advanceTimersByTimeAsync(100);
    expect(match.canSkip).toBe(true);
    match.skipToMyTurn();
    expect(asked.map(({ wanted }) => wanted.type)).toEqual(['hurry']);
    event(7, acted(1), { to_act: 2, position: 3 }, [step(3)]);
    event(8, acted(2), { to_act: 0, position: 4 }, [step(4)]);
    await vi.advanceTimersByTimeAsync(0);
    expect([match.stage?.view, match.myTurn, match.canSkip]).toEqual([4, true, false]);
    event(9, acted(0), { to_act: 1, position: 5 }, [step(5)]);
    expect(match.stage?.cue?.ms).toBe(100);
  });
  it('are not hurried while other people wait', async () => {
    const { match, asked, event } = await table({ seats: [ANA, BOT, RUI] });
    event(6, acted(0), { to_act: 1, position: 2 }, [step(2)]);
    match.skipToMyTurn();
    await vi.advanceTimersByTimeAsync(0);
    expect([asked.length, match.stage?.view, match.canSkip]).toEqual([0, 2, false]);
  });
  it('get another pace from the host', async () => {
    const { match, asked } = await table({ seats });
    expect(match.canSetPace).toBe(true);
    void match.setPace(300);
    expect(asked[0]?.wanted).toMatchObject({
      type: 'configure',
      settings: { practice: false, pace: 300, watch: true },
    });
  });
});

describe('what may be taken back', () => {
  it('is what the server says', async () => {
    const { match, asked, event } = await table({ undo: [0] });
    expect(match.undoable).toBe(true);
    void match.undo();
    expect(asked[0]?.wanted).toEqual({ type: 'undo' });
    event(6, acted(0), { to_act: 1, undo: [1] });
    expect(match.undoable).toBe(false);
  });
  it('comes back at once, whatever bots have done', async () => {
    const { match, event } = await table({ seats: [ANA, BOT] });
    event(6, acted(0), { to_act: 1, position: 2 }, [step(2)]);
    event(7, acted(1), { to_act: 0, position: 3 }, [step(3)]);
    event(8, acted(0, 'undo 2'), { to_act: 0, position: 1 });
    await vi.advanceTimersByTimeAsync(0);
    expect([match.stage?.view, match.stage?.busy, match.stage?.log[0]?.key]).toEqual([1, false, 'web.event.undo']);
  });
  it('may be the end of the match, which then goes on at this device too', async () => {
    const { match, event } = await table({ undo: [0] });
    const kept: Record<string, string> = {};
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => kept[key] ?? null,
      setItem: (key: string, value: string) => (kept[key] = value),
    });
    keepSeat(match.id, { token: 'secret' });
    event(6, acted(0), { status: 'over', to_act: null, undo: [0], position: 2 }, [step(2)]);
    expect([match.undoable, seatOf(match.id)?.over]).toEqual([true, true]);
    event(7, acted(0, 'undo'), { to_act: 0, position: 1 });
    expect([match.status, seatOf(match.id)?.over]).toEqual(['playing', false]);
  });
});

describe('the next match', () => {
  it('is followed by a watcher with the same key', async () => {
    const { match, asked } = await table({ status: 'over', next: 'n' }, { watch: 'k' }, { role: 'watcher', mine: [] });
    expect([await match.rematch(), asked.length]).toEqual(['/t/n#watch=k', 0]);
  });
  it('is opened by a player', async () => {
    const { match, asked } = await table({ status: 'over' });
    const path = match.rematch();
    await asked[0]?.accept({ match: 'n', token: 't' });
    expect([await path, asked[0]?.wanted.type]).toEqual(['/t/n', 'rematch']);
  });
});
