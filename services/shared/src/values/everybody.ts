/** Stands for all customers in place of an account id: the nil UUID (RFC 9562), which no account has. */
export const everybody = '00000000-0000-0000-0000-000000000000';
