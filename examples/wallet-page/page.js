import { createTokenwire } from 'tokenwire/client'
import { formatCompact, fromUnits } from 'tokenwire/client/format'
import { createLive } from 'tokenwire/client/live'

const parameters = new URLSearchParams(location.search)
const tokenwire = createTokenwire({ url: parameters.get('service') ?? 'http://localhost:3000' })
const element = id => document.getElementById(id)

createLive(tokenwire).wallet(parameters.get('address') ?? '', show, {
  onEnd: error => (element('failure').textContent = error.message),
})

function show({ wallet, holdings, claims }) {
  element('summary').textContent =
    `${wallet.trades} trades, worth ${formatCompact(wallet.valueWeth)} ETH, realized ${formatCompact(wallet.realizedWeth)} ETH`
  element('holdings').replaceChildren(...holdings.map(rowOf))
  element('claims').replaceChildren(...claims.map(claimOf))
}

function rowOf({ token, balance, valueWeth, unrealizedWeth }) {
  const row = document.createElement('tr')
  const amount = balance === null ? null : fromUnits(balance, token.decimals)
  // Symbols come from the chain and can be anything: insert them as text, never as HTML.
  for (const text of [token.symbol ?? token.address, formatCompact(amount), formatCompact(valueWeth), formatCompact(unrealizedWeth)])
    row.insertCell().textContent = text
  return row
}

/** The creator's own wallet has to send the call. */
function claimOf({ amount, decimals, symbol, claim }) {
  const item = document.createElement('li')
  const shown = amount === null || decimals === null ? '–' : formatCompact(fromUnits(amount, decimals))
  item.textContent = `${shown} ${symbol ?? ''} by a call to ${claim?.to ?? 'no contract yet'}`
  return item
}
