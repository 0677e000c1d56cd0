import { useRoomHeartbeat } from "@/hooks/useRoomHeartbeat";
import { useRoom } from "@hadir/client/react-native";
import { Alert, FlatList, StyleSheet, Text, View } from "react-native";

export default function ChatRoomScreen({ router }: { router: { back(): void } }) {
  const roomId = "123";
  const userId = "456";

  // Setup heartbeat + force-leave handling
  useRoomHeartbeat(roomId, userId, (message) => {
    // User kicked out - show popup
    Alert.alert("Session Expired", message);
    // Navigate away from room
    router.back();
  });

  return <WhoIsHere roomId={roomId} />;
}

/** The participants: dimmed while the connection is lost, and nobody once nobody can know. */
function WhoIsHere({ roomId }: { roomId: string }) {
  const { participants, viewerCount, stale, status } = useRoom(roomId);
  return (
    <View style={stale && styles.stale}>
      <Text style={styles.count}>{viewerCount === null ? (status === "joining" ? "…" : "Viewers: unknown") : `${viewerCount} watching`}</Text>
      {stale && <Text>Reconnecting…</Text>}
      <FlatList
        data={participants}
        keyExtractor={({ userId }) => userId}
        renderItem={({ item }) => <Text>{item.state === "away" ? `${item.username} (away)` : item.username}</Text>}
      />
    </View>
  );
}

const styles = StyleSheet.create({ stale: { opacity: 0.4 }, count: { fontSize: 20, fontWeight: "600" } });
