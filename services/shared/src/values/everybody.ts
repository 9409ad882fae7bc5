/** Stands for all customers where an account would: no account has this id (RFC 9562, the nil UUID). */
export const everybody = '00000000-0000-0000-0000-000000000000';
