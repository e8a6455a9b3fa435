/** What becomes of a creator's text, the same for what is written on chain and for what a metadata URI leads to. */
export { cleanText, TEXT_LIMITS } from '#domain/text.ts'
