/** Addresses that people hand to each other: what to make of them, and what to give. */
import { fetchAddresses } from '../api';

/** Where a pasted link or code leads: an address of this client, or of another server; null if it is neither. */
export function readLink(text: string, origin: string): { here: string } | { elsewhere: string } | null {
  const trimmed = text.trim();
  if (/^[\w-]{6,64}$/.test(trimmed)) return { here: `/t/${trimmed}` };
  let url: URL;
  try {
    url = new URL(/^[a-z]+:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`);
  } catch {
    return null;
  }
  if (!/^https?:$/.test(url.protocol) || !/^\/(t|replay)\/[\w-]+\/?$/.test(url.pathname)) return null;
  const path = url.pathname + url.hash;
  return url.host === new URL(origin).host ? { here: path } : { elsewhere: url.origin + path };
}

/** Whether a name means the machine that uses it, so that a link with it works nowhere else. */
export const isOwnMachine = (hostname: string): boolean =>
  /^(localhost|.+\.localhost|127(\.\d+){3}|\[?::1\]?)$/i.test(hostname);

/** The beginning of links for others. `null` if nobody else can reach the server. */
export async function shareOrigin(): Promise<string | null> {
  if (!isOwnMachine(location.hostname)) return location.origin;
  const { addresses } = await fetchAddresses().catch(() => ({ addresses: [] as string[] }));
  return addresses[0] ?? null;
}
