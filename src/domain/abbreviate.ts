/** A value as JSON for an error message, at most 80 characters. */
export function abbreviate(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}
