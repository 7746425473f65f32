/** Prices as of a slot, for the resources that show values by them. */
export { type PastPrice, type PastRate, pastPrices, pastRate } from '../past-market/prices.ts'
