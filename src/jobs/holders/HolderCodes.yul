object "HolderCodes" {
  code {
    let offset := datasize("HolderCodes")
    let count := div(sub(codesize(), offset), 20)
    for { let i := 0 } lt(i, count) { i := add(i, 1) } {
      codecopy(12, add(offset, mul(i, 20)), 20)
      let holder := mload(0)
      mstore(32, 0)
      extcodecopy(holder, 32, 0, 3)
      mstore8(add(64, i), and(gt(extcodesize(holder), 0), iszero(eq(shr(232, mload(32)), 0xef0100))))
    }
    return(64, count)
  }
}
