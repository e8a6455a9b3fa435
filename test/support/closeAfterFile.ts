/* What a test file opened, which is closed at its end. Workers run many files, and keep this module between them. */

const closers: (() => Promise<unknown>)[] = []

/** Has something closed at the end of the test file, after everything that is added later. Also inside a test. */
export function closeAfterFile(close: () => Promise<unknown>): void {
  closers.push(close)
}

export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close()
}

/** The same for what a test may also close itself, by the function that is returned: it closes once. What a test closes is its own matter. */
export function closedAfterFile(close: () => Promise<unknown>): () => Promise<void> {
  let closing: Promise<unknown> | undefined
  const once = async () => {
    await (closing ??= close())
  }
  closeAfterFile(async () => {
    if (closing === undefined) await once()
  })
  return once
}
