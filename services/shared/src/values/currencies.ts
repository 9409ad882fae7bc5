/**
 * ISO 4217, list one, up to its amendment 180 (1 January 2026), by the digits of the minor unit: its Maintenance Agency
 * publishes it at https://www.six-group.com/dam/download/financial-information/data-center/iso-currrency/lists/list-one.xml.
 * Without codes that have no minor unit, such as gold (XAU). Intl has other digits, of cash, which change with its releases.
 */
const byDigits = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU
    CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES
    KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR
    NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP
    TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const digitsOf = new Map(
  Object.entries(byDigits).flatMap(([digits, codes]) => codes.split(/\s+/).map((code) => [code, Number(digits)])),
);

/** Currencies that a store may have. */
export const currencies: readonly string[] = [...digitsOf.keys()];

/** Most currencies have as many, those that have left the list, too. */
const usualDigits = 2;

/** Returns the number of decimals of a currency: 2 for USD, 0 for JPY. One that has left the list still is in old orders. */
export const minorUnit = (currency: string): number => digitsOf.get(currency) ?? usualDigits;
