import { createTokenwire, type WatchedToken } from 'tokenwire/client'

/* npx node examples/bot/priceTable.ts [service]: keeps the prices of the largest tokens and prints those that changed, once a second. */

const tokenwire = createTokenwire({
  url: process.argv[2] ?? 'http://localhost:3000',
  onError: error => console.error(String(error)),
})

const table = new Map<string, WatchedToken>()
const changed = new Set<string>()

tokenwire.onState(state => console.log(`connection: ${state}`))

// The service may not be up yet. A failure is a value, and its code says whether a retry can help.
const listed = await tokenwire.tokens({ sort: 'marketCap', limit: 100 }, { retries: 10 })
if (!listed.ok) {
  console.error(`no list: ${listed.error.code}, ${listed.error.message}`)
  process.exit(listed.error.code === 'rejected' ? 1 : 75)
}

for (const { address } of listed.value.data) {
  tokenwire.watch(address, state => {
    table.set(address, state)
    changed.add(address)
  })
}

const printing = setInterval(() => {
  for (const address of changed) {
    const { symbol, market, sequence } = table.get(address)?.token ?? { symbol: null, market: null, sequence: null }
    console.log(`${address} ${JSON.stringify(symbol)} ${market?.priceWeth ?? 'no price'} #${sequence}`)
  }
  changed.clear()
}, 1_000)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    clearInterval(printing)
    // No timer or connection is left, so the process ends by itself.
    tokenwire.close()
  })
}
