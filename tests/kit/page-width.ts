/** For page.evaluate(): true if the page scrolls sideways. */
export const isWiderThanScreen = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
