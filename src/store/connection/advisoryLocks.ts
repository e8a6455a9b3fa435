/**
 * The keys of the PostgreSQL advisory locks that this service takes, in the two-number form: the first number is Tokenwire's, the second
 * says what for. A session's lock ends with its connection, hence with its process.
 */
export const LOCK_SPACE = 0x746b7772

export const LOCKS = { migrate: 1, embeddedOwner: 2, writer: 3 } as const
