const { In } = require('typeorm')
const { Balance, Candle, Market, Token, Trade } = require('./model')

/** Below PostgreSQL's limit of parameters. */
const IDS_PER_QUERY = 30_000

/** Rows of one entity: those that a batch changes are read together before it, and written together after it. */
class Rows {
  #rows = new Map()
  #changed = new Set()
  #entity

  constructor(entity) {
    this.#entity = entity
  }

  async load(store, ids) {
    const wanted = [...new Set(ids)]
    for (let at = 0; at < wanted.length; at += IDS_PER_QUERY) {
      for (const row of await store.findBy(this.#entity, { id: In(wanted.slice(at, at + IDS_PER_QUERY)) })) this.#rows.set(row.id, row)
    }
  }

  get(id) {
    return this.#rows.get(id)
  }

  /** The row, created with these values where there is none. It is written. */
  change(id, initial) {
    const row = this.#rows.get(id) ?? Object.assign(new this.#entity(), { id, ...initial })
    this.#rows.set(id, row)
    this.#changed.add(row)
    return row
  }

  write(store) {
    return store.upsert([...this.#changed])
  }
}

/** What a batch of blocks changes. */
class Projection {
  tokens = new Rows(Token)
  markets = new Rows(Market)
  balances = new Rows(Balance)
  candles = new Rows(Candle)
  trades = []

  async write(store) {
    for (const rows of [this.tokens, this.markets, this.balances, this.candles]) await rows.write(store)
    await store.insert(this.trades)
  }

  addTrade(values) {
    this.trades.push(Object.assign(new Trade(), values))
  }
}

module.exports = { Projection }
