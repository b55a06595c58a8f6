/**
 * Everything a player reads. The server's catalogue is the only source; choosing plural forms and variants follows
 * src/escadaria/i18n/__init__.py.
 */
import { untrack } from 'svelte';
import { fetchTexts, type Catalogue } from './api';
import type { Fact } from './facts';
import { recall, remember } from './storage';

export const LANGUAGES = ['en', 'de', 'fr', 'it', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];
/** Each language's own name, for those who cannot read the one that is set. */
export const LANGUAGE_NAMES: Record<Language, string> = {
  en: 'English', de: 'Deutsch', fr: 'Français', it: 'Italiano', es: 'Español',
};

export type Args = Record<string, unknown>;

/** All texts of one language. */
export class Texts {
  private readonly plural: Intl.PluralRules;
  private readonly list: Intl.ListFormat;

  constructor(
    readonly language: string,
    private readonly messages: Catalogue,
    /** Whether those that only a few pages say are among them. */
    readonly whole = false,
  ) {
    this.plural = new Intl.PluralRules(language);
    this.list = new Intl.ListFormat(language, { type: 'conjunction' });
  }

  /** These texts and more of the same language. */
  async with(fetch: (language: string) => Promise<Catalogue>): Promise<Texts> {
    return new Texts(this.language, { ...this.messages, ...(await fetch(this.language)) }, true);
  }

  has(key: string): boolean {
    return Object.hasOwn(this.messages, key);
  }

  /** The text with its placeholders filled in. A key that is missing shows itself: it is a mistake, but no crash. */
  t(key: string, args: Args = {}): string {
    const message = this.has(key) ? this.messages[key] : undefined;
    if (message === undefined) return key;
    if (typeof message === 'string') return fillIn(message, args);
    const one = this.plural.select(Number(args[message.counted])) === 'one';
    return fillIn(message.forms[one ? 0 : 1] ?? '', args);
  }

  /** The sentence that tells a fact; `names` by seat. */
  fact(game: string, fact: Fact, names: string[]): string {
    const { kind, ruling: _, ...data } = fact;
    const args: Args = Object.fromEntries(Object.entries(data).map(([field, value]) => [field, this.shown(game, value)]));
    args.name = names[fact.seat] ?? '';
    if (typeof data.victim === 'number') args.victim = names[data.victim] ?? '';
    return this.t(this.variant(`${game}.fact.${kind}`, data), args);
  }

  /** A short preview of a fact, such as "throws out Ana (53 on 4)"; empty if there is no text for it. */
  preview(game: string, fact: Fact, names: string[]): string {
    const { kind, ruling: _, ...data } = fact;
    const key = this.variant(`play.preview.${game}.${kind}`, data);
    if (!this.has(key)) return '';
    const args: Args = { ...data, name: names[fact.seat] ?? '' };
    if (typeof data.victim === 'number') args.victim = names[data.victim] ?? '';
    return this.t(key, args);
  }

  /** The label of a decision, made from its text. */
  action(game: string, action: string): string {
    const [word = '', number] = action.split(' ');
    const args: Args = number === undefined ? {} : { number: Number(number) };
    return this.t(this.variant(`${game}.action.${word}`, args), args);
  }

  /** What a refusal says to a player. */
  error(code: string): string {
    return this.t(this.has(`error.${code}`) ? `error.${code}` : 'web.error.other');
  }

  percent(share: number, digits = 0, signDisplay: 'auto' | 'exceptZero' = 'auto'): string {
    const form = new Intl.NumberFormat(this.language, { style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay });
    return form.format(share).replace('-', '−'); // a minus, as long as a plus is
  }

  number(number: number, digits = 1): string {
    return new Intl.NumberFormat(this.language, { maximumFractionDigits: digits }).format(number);
  }

  listed(parts: string[]): string {
    return this.list.format(parts);
  }

  private shown(game: string, value: unknown): unknown {
    if (Array.isArray(value)) return this.list.format(value.map(String));
    const word = `${game}.word.${String(value)}`;
    return this.has(word) ? this.t(word) : value;
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

/** Read in this language from now on; without one, in the language set before, or the browser's. */
export async function read(language?: Language): Promise<void> {
  const chosen = language ?? negotiate([recall('language', ''), ...navigator.languages]);
  const texts = new Texts(chosen, await fetchTexts(chosen));
  reading.texts = more ? await texts.with((language) => fetchTexts(language, true)) : texts;
  reading.ready = true;
  document.documentElement.lang = chosen;
  if (language) remember('language', language);
}

let more = false;
/** From now on also what only a few pages say; it is here when this is done. */
export async function readMore(): Promise<void> {
  more = true;
  // a page that is fetched with its texts is not fetched again when they change
  for (let texts = untrack(() => reading.texts); !texts.whole; texts = reading.texts) {
    const whole = await texts.with((language) => fetchTexts(language, true));
    if (reading.texts === texts) reading.texts = whole;
  }
}

/** The text of a key in the language that is set. */
export const t = (key: string, args?: Args): string => reading.texts.t(key, args);

/** What stands on a key, such as "Space"; letters and arrows stand for themselves. */
export const keyName = (key: string): string => {
  const word = `web.key.name.${key.toLowerCase()}`;
  return reading.texts.has(word) ? t(word) : key;
};

/** A colour as a name: "Red". Who gives no name is called so, which is right in every sentence. */
export function colourName(colour: string): string {
  const word = t(`colour.${colour}`);
  return word.charAt(0).toLocaleUpperCase(reading.texts.language) + word.slice(1);
}
