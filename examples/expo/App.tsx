import { HadirProvider } from "@hadir/client/react-native";
import { useState } from "react";
import { Button, SafeAreaView, StyleSheet } from "react-native";
import { io } from "socket.io-client";
import ChatRoomScreen from "./ChatRoomScreen";

/** The Android emulator reaches the computer it runs on as 10.0.2.2. */
const URL = process.env.EXPO_PUBLIC_HADIR_URL ?? "http://10.0.2.2:8080";

const socket = io(URL, { autoConnect: false, transports: ["websocket"] });

export default function App() {
  const [isInRoom, setInRoom] = useState(true);
  return (
    <HadirProvider socket={socket}>
      <SafeAreaView style={styles.page}>
        {isInRoom ? <ChatRoomScreen router={{ back: () => setInRoom(false) }} /> : <Button title="Enter the room" onPress={() => setInRoom(true)} />}
      </SafeAreaView>
    </HadirProvider>
  );
}

const styles = StyleSheet.create({ page: { flex: 1, padding: 16 } });
