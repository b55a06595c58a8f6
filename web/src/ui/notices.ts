import { reading } from '../texts/texts.svelte';

/** One short message of `Notices`. */
export interface NoticeItem {
  id: string;
  text: string;
  /** `bad` is a refusal, `wait` something that will pass. */
  tone?: 'bad' | 'wait';
  action?: { text: string; run: () => void };
  onclose?: () => void;
}

/** What was refused, as a message that can be closed; none without a code. */
export const refusalNotice = (code: string, onclose: () => void): NoticeItem[] =>
  code ? [{ id: 'refusal', text: reading.texts.error(code), tone: 'bad', onclose }] : [];
