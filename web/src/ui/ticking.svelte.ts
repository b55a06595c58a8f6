/** A clock that ticks while somebody looks at it. */
import { createSubscriber } from 'svelte/reactivity';

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, 250);
  return () => clearInterval(timer);
});

/** Now, in milliseconds since 1970; reactive, four times a second. */
export function ticking(): number {
  subscribe();
  return Date.now();
}
