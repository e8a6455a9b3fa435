import { writeFile } from 'node:fs/promises'
import { connect } from 'node:tls'
import { beforeEach, expect, it } from 'vitest'
import { watchCertificate } from '#gateway/listening/certificateWatch.ts'
import { RealtimeFixture } from '#test/gateway/realtime/startRealtime.ts'
import { certificate, certificateFiles, certificateKey, foreignCertificate, foreignKey } from '#test/support/certificate.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { addressOf, snapshotOf } from '#test/support/snapshots.ts'

const TOKEN = addressOf(1)

let files: Awaited<ReturnType<typeof certificateFiles>>
beforeEach(async () => {
  files = await certificateFiles()
})

async function install(cert: string, key: string): Promise<void> {
  await writeFile(files.certFile, cert)
  await writeFile(files.keyFile, key)
}

/** The certificate that a new connection gets, in PEM without line breaks. */
function presented(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().raw.toString('base64'))
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

function bare(pem: string): string {
  return pem.replace(/-----[^-]+-----|\s/g, '')
}

it('gives new connections the renewed certificate, and goes on with the open ones', async () => {
  const fixture = await RealtimeFixture.start({ tls: files })
  fixture.store(TOKEN, 1)
  expect(await presented(fixture.port)).toBe(bare(certificate))
  const before = await fixture.client({ ca: certificate })
  before.send({ type: 'subscribe', token: TOKEN })
  expect(await before.nextInShort(2)).toEqual(['subscribed 1', 'update 1'])

  await install(foreignCertificate, foreignKey)
  fixture.gateway.renewCertificate()
  for (let n = 0; n < 3; n++) expect(await presented(fixture.port)).toBe(bare(foreignCertificate))
  const after = await fixture.client({ ca: foreignCertificate })
  after.send({ type: 'subscribe', token: TOKEN })
  expect(await after.nextInShort(2)).toEqual(['subscribed 1', 'update 1'])
  fixture.commit(snapshotOf(TOKEN, 2))
  expect(await before.nextInShort(1)).toEqual(['update 2'])
  expect(await after.nextInShort(1)).toEqual(['update 2'])
})

it('keeps the old certificate when the files can’t be used', async () => {
  const fixture = await RealtimeFixture.start({ tls: files })
  const { gateway } = fixture
  await install('no certificate', 'no key')
  expect(() => gateway.renewCertificate()).toThrow()
  expect(await presented(fixture.port)).toBe(bare(certificate))
})

it('notices new files by their contents, once both fit', async () => {
  const log = createLogLines()
  let renewals = 0
  let runCheck = () => {}
  const watch = watchCertificate({
    files,
    onRenewed: () => renewals++,
    logger: log.logger,
    repeat: (_, run) => {
      runCheck = run
      return () => {}
    },
  })
  await install(certificate, certificateKey)
  runCheck()
  expect([renewals, log.lines().length]).toEqual([0, 0])

  await writeFile(files.certFile, foreignCertificate)
  runCheck()
  watch.check()
  expect(renewals).toBe(0)
  expect(log.lines()).toMatchObject([{ level: 40, err: { message: 'the key is that of another certificate' } }])

  await writeFile(files.keyFile, foreignKey)
  watch.check()
  runCheck()
  expect(renewals).toBe(1)
  expect(log.lines().at(-1)).toMatchObject({ level: 30, msg: 'the TLS certificate was renewed' })
})
