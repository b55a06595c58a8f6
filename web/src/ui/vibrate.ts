/** Let the device vibrate, where it can; browsers allow it only after a tap or a key. */
export function vibrate(pattern: number[]): void {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(pattern);
}
