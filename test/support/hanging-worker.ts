/** For `node --import`: a worker of `carte serve` names itself, reports that it is ready and then hangs. */
if (process.argv[2] === 'worker') {
  process.stderr.write(`worker ${process.pid}\n`);
  await new Promise(resolve => process.send?.({ type: 'ready' }, resolve));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
