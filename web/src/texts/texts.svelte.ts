/**
 * Everything a player reads. The server's catalogue is the only source; choosing plural forms and variants follows
 * src/escadaria/i18n/__init__.py.
 */
import { untrack } from 'svelte';
import { fetchTexts, TEXT_PARTS, type Catalogue, type TextPart } from '../api';
import type { Fact } from '../match/facts';
import { recall, remember } from '../storage';
import type { Key, TextArgs } from './keys';

export const LANGUAGES = ['en', 'de', 'fr', 'it', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];
/** Each language's own name, for those who cannot read the one that is set. */
export const LANGUAGE_NAMES: Record<Language, string> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  it: 'Italiano',
  es: 'Español',
};

export type Args = Record<string, unknown>;
/** The keys of texts without placeholders. */
type PlainKey = { [K in Key]: [TextArgs[K]] extends [never] ? K : never }[Key];
type ArgsOf<K extends Key> = Args & Record<TextArgs[K], unknown>;

/** CLDR's kinds of plurals, in its order. */
const PLURALS: readonly Intl.LDMLPluralRule[] = ['zero', 'one', 'two', 'few', 'many', 'other'];

/** Whole numbers of every kind that a language has for numbers up to 200. */
const SAMPLES = [...Array(22).keys(), 100];

/** Made once for each language, when it is wanted: it takes a slow phone a while. */
function once<A extends unknown[], T>(make: (language: string, ...more: A) => T) {
  const made = new Map<string, T>();
  return (language: string, ...more: A): T => {
    const key = [language, ...more].join();
    const found = made.get(key) ?? make(language, ...more);
    made.set(key, found);
    return found;
  };
}

/** The plurals of a language, and the kinds that whole numbers take: a counted text has a form for each. */
const pluralsOf = once((language) => {
  const rules = new Intl.PluralRules(language);
  const used = new Set(SAMPLES.map((number) => rules.select(number)));
  return { rules, kinds: PLURALS.filter((kind) => used.has(kind)) };
});
const listOf = once((language) => new Intl.ListFormat(language, { type: 'conjunction' }));
const percentOf = once(
  (language, digits: number, signDisplay: 'auto' | 'exceptZero') =>
    new Intl.NumberFormat(language, {
      style: 'percent',
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      signDisplay,
    }),
);

/** The texts of one language, as far as they are loaded. */
export class Texts {
  constructor(
    readonly language: string,
    private readonly messages: Catalogue,
    /** The parts that are loaded. */
    readonly parts: readonly TextPart[] = [],
  ) {}

  /** These texts and more parts of the same language. */
  with(found: Catalogue, parts: readonly TextPart[]): Texts {
    return new Texts(this.language, { ...this.messages, ...found }, [...this.parts, ...parts]);
  }

  has(key: string): boolean {
    return Object.hasOwn(this.messages, key);
  }

  /**
   * The text with its placeholders filled in. A key that does not exist is a type error; for computed keys see
   * `lookup`.
   */
  t(key: PlainKey, args?: Args): string;
  t<K extends Key>(key: K, args: ArgsOf<K>): string;
  t(key: Key, args?: Args): string {
    return this.lookup(key, args);
  }

  /**
   * The text of a key that is computed from data, such as the name of a game or a key from the server. It is checked
   * when it runs: a key without a text is shown itself.
   */
  lookup(key: string, args: Args = {}): string {
    const message = this.has(key) ? this.messages[key] : undefined;
    if (message === undefined) return key;
    if (typeof message === 'string') return fillIn(message, args);
    const { rules, kinds } = pluralsOf(this.language);
    const form = message.forms[kinds.indexOf(rules.select(Number(args[message.counted])))];
    return fillIn(form ?? message.forms.at(-1) ?? '', args);
  }

  /** The sentence for a fact; `names` by seat, `you` is the reader's seat. */
  fact(game: string, fact: Fact, names: string[], you: number | null = null): string {
    const { kind, ruling: _, ...data } = fact;
    const args: Args = Object.fromEntries(
      Object.entries(data).map(([field, value]) => [field, this.shown(game, value)]),
    );
    args.name = names[fact.seat] ?? '';
    if (typeof data.victim === 'number') args.victim = names[data.victim] ?? '';
    return this.lookup(this.addressed(this.variant(`${game}.fact.${kind}`, data), fact.seat, you, data.victim), args);
  }

  /** A text about a seat, with the player's name, or with "you" if it is the reader's seat. */
  about(key: string, seat: number, names: string[], you: number | null, args: Args = {}): string {
    return this.lookup(this.addressed(key, seat, you), { name: names[seat] ?? '–', ...args });
  }

  /** A short preview of a fact, such as "throws out Ana (53 on 4)"; empty if there is no text for it. */
  preview(game: string, fact: Fact, names: string[], you: number | null = null): string {
    const { kind, ruling: _, ...data } = fact;
    const key = this.variant(`play.preview.${game}.${kind}`, data);
    if (!this.has(key)) return '';
    const args: Args = { ...data, name: names[fact.seat] ?? '' };
    if (typeof data.victim === 'number') args.victim = names[data.victim] ?? '';
    return this.lookup(this.addressed(key, fact.seat, you, data.victim), args);
  }

  /** The label of a decision, made from its text. */
  action(game: string, action: string): string {
    const [word = '', number] = action.split(' ');
    const args: Args = number === undefined ? {} : { number: Number(number) };
    return this.lookup(this.variant(`${game}.action.${word}`, args), args);
  }

  /** What a refusal says to a player. */
  error(code: string): string {
    return this.lookup(this.has(`error.${code}`) ? `error.${code}` : 'web.error.other');
  }

  percent(share: number, digits = 0, signDisplay: 'auto' | 'exceptZero' = 'auto'): string {
    const text = percentOf(this.language, digits, signDisplay).format(share);
    return text.replace('-', '−'); // a minus, as long as a plus is
  }

  number(number: number, digits = 1): string {
    return new Intl.NumberFormat(this.language, { maximumFractionDigits: digits }).format(number);
  }

  listed(parts: string[]): string {
    return listOf(this.language).format(parts);
  }

  private shown(game: string, value: unknown): unknown {
    if (Array.isArray(value)) return this.listed(value.map(String));
    const word = `${game}.word.${String(value)}`;
    return this.has(word) ? this.lookup(word) : value;
  }

  /** The form of a text that says "you": `….you` if the reader's seat acts, `….to_you` if it is the victim. */
  private addressed(key: string, seat: number, you: number | null, victim?: unknown): string {
    if (you !== null && seat === you && this.has(`${key}.you`)) return `${key}.you`;
    if (you !== null && victim === you && this.has(`${key}.to_you`)) return `${key}.to_you`;
    return key;
  }

  private variant(key: string, data: Args): string {
    return variants(key, data).find((variant) => this.has(variant)) ?? key;
  }
}

/** The sentences for special cases, the first that exists counts: see the catalogue's loader. */
function variants(key: string, data: Args): string[] {
  const found = 'victim' in data && data.victim === data.seat ? [`${key}.self`] : [];
  for (const [field, value] of Object.entries(data)) {
    if (value === true) found.push(`${key}.${field}`);
    else if (value === 0) found.push(`${key}.no_${field}`);
  }
  return found;
}

/** `{name}` and `{dice[0]}`, as in Python; `{{` is a brace. */
function fillIn(form: string, args: Args): string {
  return form.replace(/\{\{|\}\}|\{(\w+)(?:\[(\d+)\])?\}/g, (all, name?: string, index?: string) => {
    if (name === undefined) return all.charAt(0);
    const value = args[name];
    return String(index === undefined ? value : (value as string | unknown[])[Number(index)]);
  });
}

/** The first of the wanted languages that there is, else English. */
export function negotiate(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const found = LANGUAGES.find((language) => language === tag.slice(0, 2).toLowerCase());
    if (found && /^..([-_]|$)/.test(tag)) return found;
  }
  return 'en';
}

class Reading {
  texts = $state.raw<Texts>(new Texts('en', {}));
  /** Whether there is anything to read yet. */
  ready = $state(false);
}

export const reading = new Reading();

/** The language to read in, and the parts that the screens so far need. */
let chosen: Language = 'en';
const needed = new Set<TextPart>(['home']);

/** Read in this language from now on; without one, in the language set before, or the browser's. */
export async function read(language?: Language): Promise<void> {
  const before = chosen;
  chosen = language ?? negotiate([recall('language', ''), ...navigator.languages]);
  try {
    await load();
  } catch (error) {
    if (reading.ready) chosen = before;
    throw error;
  }
  if (language) remember('language', language);
}

/** Load more parts of the texts, in the language that is set. */
export async function readParts(...parts: TextPart[]): Promise<void> {
  for (const part of parts) needed.add(part);
  if (started) await load();
}

/** Whether the language is known. */
let started = false;

async function load(): Promise<void> {
  started = true;
  for (;;) {
    const language = chosen;
    // a screen that waits for its texts is not made again when they come
    const now = untrack(() => reading.texts);
    const known = now.language === language ? now : new Texts(language, {});
    const missing = [...needed].filter((part) => !known.parts.includes(part));
    if (!missing.length) return; // nothing is set here: a screen may ask for its parts while it is drawn
    const found = await Promise.all(missing.map((part) => partOf(language, part)));
    if (language !== chosen || now !== reading.texts) continue; // changed in the meantime
    reading.texts = known.with(Object.assign({}, ...found) as Catalogue, missing);
    reading.ready = true;
    document.documentElement.lang = language;
  }
}

const fetched = new Map<string, Promise<Catalogue>>();
/** A part of the texts: from the page, or by a request. */
function partOf(language: Language, part: TextPart): Promise<Catalogue> {
  embedded ??= takeEmbedded();
  if (embedded.language === language && embedded.parts.includes(part)) return Promise.resolve(embedded.texts);
  const name = `${language} ${part}`;
  const found = fetched.get(name) ?? fetchTexts(language, part);
  fetched.set(name, found);
  found.catch(() => fetched.delete(name));
  return found;
}

let embedded: { language: string; parts: string[]; texts: Catalogue } | undefined;
/** The texts that the server has put into the page, for its first screen. */
function takeEmbedded(): NonNullable<typeof embedded> {
  const page = document.getElementById('texts');
  if (!page) return { language: '', parts: [], texts: {} };
  page.remove();
  const { lang, dataset, textContent } = page;
  return { language: lang, parts: dataset.parts?.split(' ') ?? [], texts: JSON.parse(textContent) as Catalogue };
}

/** The text of a key in the language that is set: see `Texts.t`. */
export function t(key: PlainKey, args?: Args): string;
export function t<K extends Key>(key: K, args: ArgsOf<K>): string;
export function t(key: Key, args?: Args): string {
  return lookup(key, args);
}

/** The text of a computed key in the language that is set: see `Texts.lookup`. */
export function lookup(key: string, args?: Args): string {
  const { texts, ready } = reading;
  const missing = ready && !texts.has(key) && TEXT_PARTS.some((part) => !texts.parts.includes(part));
  if (!missing) return texts.lookup(key, args);
  readParts(...TEXT_PARTS).catch(() => undefined); // the screen did not load it: it is shown as soon as it comes
  return '';
}

/** What stands on a key, such as "Space"; letters and arrows stand for themselves. */
export const keyName = (key: string): string => {
  const word = `web.key.name.${key.toLowerCase()}`;
  return reading.texts.has(word) ? lookup(word) : key;
};

/** A colour as a name: "Red". Who gives no name is called so, which is right in every sentence. */
export function colourName(colour: string): string {
  const word = lookup(`colour.${colour}`);
  return word.charAt(0).toLocaleUpperCase(reading.texts.language) + word.slice(1);
}
