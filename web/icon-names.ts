/** The icons of the console, by their names in Heroicons. */
export const iconNames = [
  'arrow-uturn-left',
  'bell',
  'book-open',
  'check-circle',
  'chevron-down',
  'chevron-left',
  'clock',
  'key',
  'pause-circle',
  'pencil-square',
  'plus',
  'shopping-bag',
  'ticket',
  'trash',
  'truck',
  'user-group',
  'x-mark',
] as const;

export type IconName = (typeof iconNames)[number];
