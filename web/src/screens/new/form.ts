/** How a match is set up before it is opened: the wishes of the set-up screen, without pictures. */
import { PACES } from '../../match/pace';
import type { GameInfo, GameOption, Games } from '../../api';
import { COLOURS, type Colour } from '../../draw/colours';
import type { Open, TableSettings } from '../../protocol';
import { recall, remember } from '../../storage';

export const WAYS = ['bots', 'device', 'online', 'real'] as const;
export type Way = (typeof WAYS)[number];
export const asWay = (text: string): Way => WAYS.find((way) => way === text) ?? 'bots';

/** Who takes a seat: somebody at this device, whoever comes by the link, or a bot. */
export type Who = 'here' | 'link' | `bot ${string}`;
export const botOf = (who: Who): string | null => (who.startsWith('bot ') ? who.slice(4) : null);

export interface SeatWish {
  who: Who;
  /** Empty takes the name of the colour: short, never wrong, and right in every sentence. */
  name: string;
  /** null takes what is left. */
  colours: Colour[] | null;
}

export interface MatchForm {
  seats: SeatWish[];
  /** The seat that starts; null leaves it to chance. */
  first: number | null;
  options: Record<string, boolean | number | string>;
  practice: boolean;
  /** Seconds for a turn; 0 is none. */
  clock: number;
  /** Milliseconds that a bot takes. */
  pace: number;
}

const DAY = 86_400;
export const CLOCKS = [0, 30, 60, 120, DAY, 3 * DAY] as const;
export const PLAYERS = 'players';
export const BOT = 'regular';

/** The bots to choose from: those that are made for people, weakest first. The others are for programs. */
export const offered = (bots: string[]): string[] => bots.filter((bot) => bot !== 'random' && bot !== 'simple');

export function usualForm(way: Way, bot = BOT): MatchForm {
  const others: Who = way === 'bots' ? `bot ${bot}` : way === 'online' ? 'link' : 'here';
  return {
    seats: Array.from({ length: way === 'bots' ? 4 : 3 }, (_, i) => newSeat(i ? others : 'here')),
    first: 0,
    options: {},
    practice: way === 'bots',
    clock: 0,
    pace: 900,
  };
}

const newSeat = (who: Who): SeatWish => ({ who, name: '', colours: null });

/** As many seats as wanted: those that go are the last ones, those that come are taken as the one before. */
export function resized(form: MatchForm, way: Way, players: number): MatchForm {
  const last = form.seats.at(-1)?.who;
  const who = last && form.seats.length > 1 ? last : (usualForm(way).seats[1]?.who ?? 'here');
  const seats = Array.from({ length: players }, (_, i) => form.seats[i] ?? newSeat(who));
  // what was chosen for another number of players may not be there any more
  return { ...form, seats, first: form.first === null ? null : Math.min(form.first, players - 1) };
}

/**
 * What was wanted the last time, as far as it can still be had; who does not know what can be had must wait for it.
 */
export function lastForm(game: string, way: Way, known: Games): MatchForm {
  const info = known.games.find((other) => other.name === game);
  const bots = offered(info?.bots ?? known.bots);
  const { low, high } = playersOf(info);
  const standard = usualForm(way, bots.includes(BOT) ? BOT : bots.at(-1));
  const usual = resized(standard, way, Math.min(high, Math.max(low, standard.seats.length)));
  const kept = recall<Partial<MatchForm> | null>(`setup.${game}.${way}`, null);
  if (!kept || !Array.isArray(kept.seats)) return usual;
  const fits = (seat: SeatWish) => botOf(seat.who) === null || bots.includes(botOf(seat.who) ?? '');
  const seats = kept.seats.map((seat) => (fits(seat) ? seat : { ...seat, who: usual.seats[1]?.who ?? 'here' }));
  if (seats.length < low || seats.length > high) return usual;
  const options = Object.fromEntries(
    Object.entries(kept.options ?? {}).filter(([name, value]) =>
      info?.options.some((option) => option.name === name && isAllowed(option, value)),
    ),
  );
  return {
    seats,
    options,
    first: kept.first === null || (typeof kept.first === 'number' && kept.first < seats.length) ? kept.first : 0,
    practice: kept.practice ?? usual.practice,
    clock: CLOCKS.find((clock) => clock === kept.clock) ?? usual.clock,
    pace: PACES.find((pace) => pace === kept.pace) ?? usual.pace,
  };
}

export const keepForm = (game: string, way: Way, form: MatchForm | undefined): void =>
  remember(`setup.${game}.${way}`, form);

/** How many may play. */
export function playersOf(info: GameInfo | undefined): { low: number; high: number } {
  return info?.options.find((option) => option.name === PLAYERS) ?? { low: 2, high: COLOURS.length };
}

function isAllowed(option: GameOption, value: unknown): boolean {
  if (option.name === PLAYERS || typeof value !== typeof option.default) return false;
  if (typeof value === 'number') return value >= option.low && value <= option.high;
  return typeof value !== 'string' || !option.choices.length || option.choices.includes(value) || option.free_text;
}

/** The seat of the person who holds the device, whose name is kept with the settings; none where several share it. */
export const ownSeat = (form: MatchForm, way: Way): number =>
  way === 'device' || way === 'real' ? -1 : form.seats.findIndex(({ who }) => who === 'here');

/** The sets of colours a seat may have, where each has `count`: single ones, or pairs as the server deals them. */
export function palette(count: number): Colour[][] {
  if (count === 1) return COLOURS.map((colour) => [colour]);
  return [
    ['red', 'green'],
    ['blue', 'yellow'],
    ['black', 'white'],
  ];
}

/** Where a seat of the screen will be at the table: seat 0 starts. */
export const turned = (form: Pick<MatchForm, 'seats' | 'first'>, seat: number): number =>
  (seat - (form.first ?? 0) + form.seats.length) % form.seats.length;

/**
 * The colours of all seats: those chosen, then each seat's usual ones if they are free, to people before bots. Bots
 * are
 * dealt theirs by the server, for the seat that they will have. Who comes by the link chooses there.
 */
export function coloursOf(form: Pick<MatchForm, 'seats' | 'first'>, count: number): Colour[][] {
  const { seats } = form;
  const dealt = seats.map(({ who, colours }) => (who === 'here' && colours?.length === count ? colours : []));
  const taken = new Set(dealt.flat());
  const isBot = (seat: number) => botOf(seats[seat]?.who ?? 'here') !== null;
  const index = (seat: number) => (isBot(seat) ? turned(form, seat) : seat);
  const place = (seat: number) => index(seat) + (isBot(seat) ? seats.length : 0);
  for (const seat of seats.map((_, i) => i).toSorted((a, b) => place(a) - place(b))) {
    if (dealt[seat]?.length || seats[seat]?.who === 'link') continue;
    const usual = (colour: Colour) => (COLOURS.indexOf(colour) % seats.length === index(seat) ? 0 : 1);
    const free = COLOURS.filter((colour) => !taken.has(colour)).toSorted((a, b) => usual(a) - usual(b));
    dealt[seat] = free.slice(0, count);
    for (const colour of dealt[seat]) taken.add(colour);
  }
  return dealt;
}

/** Give a seat these colours; somebody who has them gets the ones it had. */
export function withColours(form: MatchForm, seat: number, colours: Colour[]): MatchForm {
  const before = coloursOf(form, colours.length);
  const seats = form.seats.map((other, i) => {
    if (i === seat) return { ...other, colours };
    const loses = other.who === 'here' && (before[i] ?? []).some((colour) => colours.includes(colour));
    return loses ? { ...other, colours: before[seat] ?? null } : other;
  });
  return { ...form, seats };
}

/** A bot that must wait until the match is open, because a seat before it is kept for somebody. */
export interface LateBot {
  seat: number;
  bot: string;
}

/** What to ask the server for, with the bots that must wait. */
export function wish(
  game: string,
  form: MatchForm,
  colours: Colour[][],
  nameOf: (colour: Colour) => string,
  entropy: () => string,
  realDice = false,
): { open: Open; late: LateBot[] } {
  const at = (seat: number) => turned(form, seat);
  const order = form.seats.map((_, i) => i).toSorted((a, b) => at(a) - at(b));
  const waits = form.seats.some(({ who }) => who === 'link');
  const bots = order.flatMap((i) => {
    const bot = botOf(form.seats[i]!.who);
    return bot === null ? [] : [{ seat: at(i), bot }];
  });
  const people = order
    .filter((i) => form.seats[i]!.who === 'here')
    .map((i) => ({
      name: form.seats[i]!.name.trim() || nameOf(colours[i]?.[0] ?? 'red'),
      seat: at(i),
      colours: colours[i] ?? null,
      ...(realDice ? {} : { entropy: entropy() }),
    }));
  const settings: Partial<TableSettings> = {
    practice: form.practice,
    starts: form.first === null ? 'random' : 'first',
    clock: form.clock,
    pace: form.pace,
    ...(form.clock >= DAY || realDice ? { grace: null } : {}), // who has days may be away; phones on a table sleep
    ...(realDice ? { dice: 'real' } : {}),
  };
  return {
    open: {
      game,
      options: { ...form.options, [PLAYERS]: form.seats.length },
      settings,
      people,
      bots: waits ? [] : bots.map(({ bot }) => bot),
      start: !waits,
    },
    late: waits ? bots : [],
  };
}

/** The bots that a lobby is to seat first, by match. */
export const lateBots = new Map<string, LateBot[]>();
