/** Icons of the bar and of buttons: strokes in a box of 24. */
export const ICONS = {
  back: '<path d="M15 5l-7 7 7 7"/>',
  help: '<path d="M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.1"/><circle cx="12" cy="12" r="9.5"/>',
  sound: '<path d="M4 10v4h3l5 4V6L7 10zM16 9c1.5 1.8 1.5 4.2 0 6M18.5 6.5c3 3.3 3 7.7 0 11"/>',
  mute: '<path d="M4 10v4h3l5 4V6L7 10zM16 9.5l5 5M21 9.5l-5 5"/>',
  menu: '<path d="M5 7h14M5 12h14M5 17h14"/>',
  sun:
    '<circle cx="12" cy="12" r="4"/>' +
    '<path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6l1.4 1.4M17 17l1.4 1.4M5.6 18.4L7 17M17 7l1.4-1.4"/>',
  moon: '<path d="M19 14.5A7.5 7.5 0 0 1 9.5 5 7.5 7.5 0 1 0 19 14.5z"/>',
  undo: '<path d="M9 7L4.5 11.5 9 16M5 11.5h9a5 5 0 0 1 0 10h-2"/>',
  speed: '<path d="M5 6l6 6-6 6M12 6l6 6-6 6"/>',
  flag: '<path d="M6 21V4h11l-2 4 2 4H6"/>',
  bell: '<path d="M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 20.5a2 2 0 0 0 4 0"/>',
  link:
    '<path d="M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.5 1.5M' +
    '14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.5-1.5"/>',
  check: '<path d="M5 12.5l4.5 4.5L19 7"/>',
  close: '<path d="M6 6l12 12M18 6L6 18"/>',
  log: '<path d="M8 6h12M8 12h12M8 18h12M4 6v.1M4 12v.1M4 18v.1"/>',
  hint: '<path d="M9 17.5h6M10 20.5h4M8 14a6 6 0 1 1 8 0c-.8.8-1 1.5-1 3.5h-6c0-2-.2-2.7-1-3.5z"/>',
  bot: '<rect x="5" y="8" width="14" height="11" rx="3"/><path d="M12 8V4.5M9 13v.1M15 13v.1M9.5 16h5"/>',
  die:
    '<rect x="3.5" y="3.5" width="17" height="17" rx="4.5"/>' +
    '<path d="M8.5 8.5v.1M15.5 15.5v.1" stroke-width="3.4"/>',
  play: '<path d="M8 5.5l10 6.5-10 6.5z"/>',
  pause: '<path d="M8 5v14M16 5v14"/>',
  first: '<path d="M6 5v14M18 5l-9 7 9 7z"/>',
  last: '<path d="M18 5v14M6 5l9 7-9 7z"/>',
  turnBack: '<path d="M18 6l-6 6 6 6M11 6l-6 6 6 6"/>',
  turnOn: '<path d="M6 6l6 6-6 6M13 6l6 6-6 6"/>',
  erase: '<path d="M9 5.5h10.500v13H9L3.500 12zM12 9.500l5 5M17 9.500l-5 5"/>',
  next: '<path d="M9 5l7 7-7 7"/>',
  download: '<path d="M12 4v11M7 11l5 5 5-5M5 20h14"/>',
  trophy: '<path d="M8 4h8v6a4 4 0 0 1-8 0zM8 6H4.5a3.5 3.5 0 0 0 4 4M16 6h3.5a3.5 3.5 0 0 1-4 4M12 14v3M8.5 20h7"/>',
  edit: '<path d="M5 19l1-4L16 5l3 3L9 18zM14 7l3 3"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  minus: '<path d="M5 12h14"/>',
  copy: '<path d="M9 9h10v11H9z"/><path d="M15 6V4H5v11h2"/>',
  share: '<path d="M12 14V4M8 7.5L12 3.5l4 4M6 11H5v9h14v-9h-1"/>',
  key: '<circle cx="8" cy="15" r="4"/><path d="M11 12l8-8M16 7l3 3"/>',
  person: '<circle cx="12" cy="8" r="4"/><path d="M4.5 20c.6-4 3.6-6 7.5-6s6.900 2 7.500 6"/>',
  device: '<rect x="7" y="3" width="10" height="18" rx="2"/><path d="M11 18h2"/>',
  open: '<path d="M4 18V6h6l2 2h8v10z"/>',
  bars: '<path d="M4 6h16M4 12h10M4 18h13" stroke-width="3"/>',
  branch: '<path d="M7 20V4M7 12c6 0 9-2 9-7M12.500 8.500L16 5l3.500 3.500"/>',
  tune: '<path d="M4 8h9M17 8h3M4 16h3M11 16h9"/><circle cx="15" cy="8" r="2"/><circle cx="9" cy="16" r="2"/>',
} as const;

export type IconName = keyof typeof ICONS;
