import { afterEach, expect, test, vi } from 'vitest'
import { toConnectionString } from '#store/connection/orm.ts'

afterEach(() => vi.unstubAllEnvs())

const parametersOf = (url: string) => Object.fromEntries(new URL(toConnectionString(url)).searchParams)

// The driver took a certificate for `localhost` for that of any address.
test.each(['127.0.0.1:5432', '[::1]:5432'])('refuses to verify the certificate of the address %s', host => {
  const sentence = 'sslmode=verify-full needs the name of the host'
  expect(() => toConnectionString(`postgres://user@${host}/db?sslmode=verify-full`)).toThrow(sentence)
  vi.stubEnv('PGSSLMODE', 'verify-full')
  expect(() => toConnectionString(`postgres://user@${host}/db`)).toThrow(sentence)
  expect(() => toConnectionString('postgres://user@db.example/db?sslmode=verify-full')).not.toThrow()
})

// The driver took all of these for verify-full.
test.each(['require', 'verify-ca', 'verify-full'])('PGSSLMODE=%s means what it means to psql, unless the URL says otherwise', mode => {
  vi.stubEnv('PGSSLMODE', mode)
  expect(parametersOf('postgres://user@db.example/db')).toEqual({ sslmode: mode, uselibpqcompat: 'true' })
  expect(parametersOf('postgres://user@db.example/db?sslmode=disable')).toMatchObject({ sslmode: 'disable' })
})
