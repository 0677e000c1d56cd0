export { useRoomHeartbeat } from "@hadir/client/react-native";
