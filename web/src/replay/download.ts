/** Records as files. */
import { fetchRecord } from '../api';

/** Save a text on this device. */
export function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link); // some browsers want it in the page
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export const recordName = (name: string): string => `escadaria-${name.replace(/[^\w-]+/g, '-')}.txt`;

export async function saveRecord(match: string): Promise<void> {
  saveText(recordName(match), await fetchRecord(match));
}
