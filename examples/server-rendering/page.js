import { createTokenwire } from 'tokenwire/client'

const { service, token } = JSON.parse(document.getElementById('state').textContent)
const tokenwire = createTokenwire({ url: service })

// What the server rendered is the beginning: nothing is drawn until something is newer.
tokenwire.watch(
  token.address,
  ({ token: { market } }) => {
    document.getElementById('price').textContent = market.priceWeth ?? '–'
    document.getElementById('holders').textContent = market.holderCount
  },
  { initial: token },
)
