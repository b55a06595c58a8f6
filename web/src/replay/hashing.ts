/** What the check of the dice needs of cryptography. Import it dynamically: only a check needs it. */
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';

export { sha256 as hash };
export { bytesToHex as hexOf, hexToBytes as bytesOf, utf8ToBytes as textBytes } from '@noble/hashes/utils.js';

/** HMAC-SHA256. */
export const keyedHash = (key: Uint8Array, message: Uint8Array): Uint8Array => hmac(sha256, key, message);
