import { createTokenwire } from 'tokenwire/client'

const service = new URLSearchParams(location.search).get('service') ?? 'http://localhost:3000'
const tokenwire = createTokenwire({ url: service })

const connection = document.getElementById('connection')
tokenwire.onState(state => (connection.textContent = state))

const listed = await tokenwire.tokens({ sort: 'volume24h', limit: 20 })
if (listed.ok) for (const token of listed.value.data) show(token)
else document.getElementById('failure').textContent = listed.error.message

/** Adds a row that keeps itself up to date, beginning with the state from the list. */
function show(token) {
  const row = document.getElementById('tokens').insertRow()
  const [name, price, trades] = [row.insertCell(), row.insertCell(), row.insertCell()]
  const draw = ({ symbol, address, market }) => {
    // Names come from the chain and can be anything: insert them as text, never as HTML.
    name.textContent = symbol ?? address
    price.textContent = market.priceWeth ?? '–'
    trades.textContent = market.tradeCount
  }
  draw(token)
  tokenwire.watch(token.address, state => draw(state.token), { initial: token, holders: false })
}
