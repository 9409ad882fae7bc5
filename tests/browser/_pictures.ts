/** Pages that are also taken in dark colours. All pages are taken on a narrow screen. */
export const inAllLooks = ['shop-catalogue', 'shop-order', 'console-now', 'console-dead-letters'];
