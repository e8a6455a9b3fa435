export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** A plain JSON-RPC client over HTTP. */
export interface JsonRpc {
  /** The results in the order of the calls. @throws `Error` with the first error answer */
  batch(calls: readonly RpcCall[]): Promise<readonly unknown[]>
}

export function connectJsonRpc(url: string): JsonRpc {
  let lastId = 0
  return {
    batch: async calls => {
      const first = lastId + 1
      lastId += calls.length
      const body = JSON.stringify(calls.map(({ method, params }, index) => ({ jsonrpc: '2.0', id: first + index, method, params })))
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      const answers = (await response.json()) as { id: number; result?: unknown; error?: { message: string } }[]
      const results: unknown[] = []
      for (const { id, result, error } of answers) {
        if (error !== undefined) throw new Error(`${calls[id - first]?.method ?? 'a batch'}: ${error.message}`)
        results[id - first] = result
      }
      return results
    },
  }
}
