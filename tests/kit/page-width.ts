/** For page.evaluate(): whether one has to scroll sideways. */
export const isWiderThanScreen = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
