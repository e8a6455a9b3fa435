import { createTokenwire } from 'tokenwire/client'

const { service, token } = JSON.parse(document.getElementById('state').textContent)
const tokenwire = createTokenwire({ url: service })

// `initial` is the state that the server rendered: the page is updated only with newer ones.
tokenwire.watch(
  token.address,
  ({ token: { market } }) => {
    document.getElementById('price').textContent = market.priceWeth ?? '–'
    document.getElementById('holders').textContent = market.holderCount
  },
  { initial: token },
)
