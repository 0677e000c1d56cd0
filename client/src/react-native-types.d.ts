/** The part of React Native that is used, so that building the package does not need it. */
declare module "react-native" {
  export const AppState: {
    readonly currentState: unknown;
    addEventListener(event: "change", listener: (state: string) => void): unknown;
  };
}
