/** Pictures in dark colours, too; on a narrow screen are all pages. */
export const inAllLooks = ['shop-catalogue', 'shop-order', 'console-now', 'console-dead-letters'];
