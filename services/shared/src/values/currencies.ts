/**
 * ISO 4217, list one, up to amendment 180 (1 January 2026), by the number of digits of the minor unit. The Maintenance Agency
 * publishes it at https://www.six-group.com/dam/download/financial-information/data-center/iso-currrency/lists/list-one.xml.
 * Codes without a minor unit, such as gold (XAU), are left out. Intl counts the digits of cash, and they change with its releases.
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

/** Most currencies, including withdrawn ones, have two decimals. */
const usualDigits = 2;

/** Returns the number of decimals of a currency: 2 for USD, 0 for JPY. Old orders may be in a withdrawn currency. */
export const minorUnit = (currency: string): number => digitsOf.get(currency) ?? usualDigits;
