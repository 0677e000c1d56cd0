export default () => globalThis.endHadir();
