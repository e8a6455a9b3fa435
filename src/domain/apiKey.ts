/** `tw_` and 256 random bits in base64url. */
const FORM = /^tw_[\w-]{43}$/

/** Finds keys in text that others wrote, also where some of their characters are percent-encoded. */
export const API_KEY_PATTERN = String.raw`tw(?:_|%(?:25)?5[fF])(?:[\w-]|%(?:25)?[0-9a-fA-F]{2}){43}`

const ANYWHERE = new RegExp(API_KEY_PATTERN, 'g')

/** Whether a text has the form of an API key. It need not be one that is in use. */
export function hasApiKeyForm(text: string): boolean {
  return FORM.test(text)
}

/** The text with everything that has the form of an API key replaced. */
export function withoutApiKeys(text: string): string {
  return text.replace(ANYWHERE, '[redacted]')
}
