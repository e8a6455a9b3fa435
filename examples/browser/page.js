import { createTokenwire } from 'tokenwire/client'

const service = new URLSearchParams(location.search).get('service') ?? 'http://localhost:3000'
const tokenwire = createTokenwire({ url: service })

const connection = document.getElementById('connection')
tokenwire.onState(state => (connection.textContent = state))

const listed = await tokenwire.tokens({ sort: 'volume24h', limit: 20 })
if (listed.ok) for (const token of listed.value.data) show(token)
else document.getElementById('failure').textContent = listed.error.message

/** A row that lives on by itself: the list is what it begins with. */
function show(token) {
  const row = document.getElementById('tokens').insertRow()
  const [name, price, trades] = [row.insertCell(), row.insertCell(), row.insertCell()]
  const draw = ({ symbol, address, market }) => {
    // Names are what anybody wrote on the chain: text, never HTML.
    name.textContent = symbol ?? address
    price.textContent = market.priceWeth ?? '–'
    trades.textContent = market.tradeCount
  }
  draw(token)
  tokenwire.watch(token.address, state => draw(state.token), { initial: token })
}
