/**
 * The keys of the service's PostgreSQL advisory locks, in the form of two numbers: the first is Tokenwire's, the second the lock's. A
 * session lock ends with its connection, and so with its process.
 */
export const LOCK_SPACE = 0x746b7772

export const LOCKS = { migrate: 1, embeddedOwner: 2, writer: 3 } as const
