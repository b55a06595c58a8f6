/** The milliseconds that bots wait before a turn, from which a host chooses. */
export const PACES = [1800, 900, 300, 0] as const;
